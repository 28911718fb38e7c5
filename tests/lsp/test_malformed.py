"""Input that no client should send: each piece gets an answer or a log record, and the next request works."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

pytestmark = pytest.mark.asyncio(loop_scope="module")
LOG = "untitled:run.log"
PATIENCE = 20.0


class Wire:
    """A server process and the bytes that go to and fro."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        assert process.stdin is not None
        assert process.stdout is not None
        self._out, self._in = process.stdin, process.stdout
        self._number = 0

    async def raw(self, data: bytes) -> None:
        self._out.write(data)
        await self._out.drain()

    async def send(self, message: object) -> None:
        body = json.dumps(message).encode()
        await self.raw(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    async def receive(self) -> dict[str, Any]:
        length = 0
        while (line := await asyncio.wait_for(self._in.readline(), PATIENCE)).strip():
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        return json.loads(await asyncio.wait_for(self._in.readexactly(length), PATIENCE))

    async def answer(self, number: object) -> dict[str, Any]:
        while True:
            message = await self.receive()
            if message.get("id") == number and "method" not in message:
                return message

    async def request(self, method: str, params: object) -> dict[str, Any]:
        self._number += 1
        await self.send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        return await self.answer(self._number)

    async def notify(self, method: str, params: object) -> None:
        await self.send({"jsonrpc": "2.0", "method": method, "params": params})

    async def is_well(self) -> bool:
        """Whether a sensible request is answered sensibly."""
        found = await self.request("firstfault/diagnose", {"text": "ValueError: x\n"})
        return found["result"]["report"]["schema"] == "firstfault.report/1"

    async def leave(self) -> None:
        if self.process.returncode is None:
            await self.request("shutdown", None)
            await self.notify("exit", None)
        assert await asyncio.wait_for(self.process.wait(), PATIENCE) == 0


async def began(*, initialize: bool = True) -> Wire:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "firstfault", "serve"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    wire = Wire(process)
    if initialize:
        await wire.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        await wire.notify("initialized", {})
    return wire


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def wire() -> AsyncIterator[Wire]:
    wire = await began()
    yield wire
    await wire.leave()


def framed(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (framed(b"{not json"), -32700),
        (framed(b"\xff\xfe\x00"), -32700),
        (framed(b"[" * 100_000), -32700),
        (framed(b"[]"), -32600),
        (framed(b'"text"'), -32600),
        (framed(b"{}"), -32600),
        (framed(b'{"jsonrpc": "1.0", "method": "shutdown"}'), -32600),
        (b"Content-Length: none\r\n\r\n", -32700),
        (b"Content-Length: -5\r\n\r\n", -32700),
        (b"Content-Length: 99999999999999999\r\n\r\n", -32700),
        (b"X-Nothing: 1\r\n\r\n", -32700),
        (b"rubbish " * 20_000, -32700),
    ],
    ids=["broken", "no text", "deep", "batch", "text", "empty", "old", "no length", "negative", "endless", "no header", "rubbish"],
)
async def test_what_is_no_message_is_refused_and_the_next_one_works(wire: Wire, data: bytes, code: int) -> None:
    await wire.raw(data)
    assert (await wire.answer(None))["error"]["code"] == code
    if not data.startswith((b"Content", b"X-")):
        await wire.raw(b"\r\n\r\n")
    assert await wire.is_well()


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("textDocument/hover", {}, -32602),
        ("textDocument/hover", [1, 2], -32602),
        ("textDocument/hover", {"textDocument": {"uri": 7}, "position": "here"}, -32602),
        ("initialize", {"capabilities": {}}, -32600),
        ("no/such/method", {}, -32601),
        ("firstfault/diagnose", {}, -32602),
        ("firstfault/diagnose", None, -32602),
        ("firstfault/diagnose", {"text": 5}, -32602),
        ("firstfault/diagnose", {"uri": "untitled:nothing"}, -32602),
        ("firstfault/diagnosePaths", {"paths": []}, -32602),
        ("firstfault/diagnosePaths", {"paths": ["/no/such/file"]}, -32602),
        ("firstfault/stream/append", {"id": "none", "text": ""}, -32602),
        ("firstfault/stream/close", {"id": "none"}, -32602),
        ("firstfault/report", {"uri": "firstfault:/report/99.md"}, -32602),
        ("workspace/executeCommand", {"command": "rm"}, -32602),
    ],
)
async def test_a_wrong_request_is_refused_with_a_reason(wire: Wire, method: str, params: object, code: int) -> None:
    answer = await wire.request(method, params)
    assert answer["error"]["code"] == code
    assert answer["error"]["message"]
    assert await wire.is_well()


@pytest.mark.parametrize("position", [(0, 0), (5, 10**9), (2**31 - 1, 2**31 - 1)])
@pytest.mark.parametrize("uri", [LOG, "untitled:never-opened", "not a uri", "file:///%ff%fe", ""])
async def test_places_that_do_not_exist_have_nothing_to_say(wire: Wire, uri: str, position: tuple[int, int]) -> None:
    await wire.notify("textDocument/didOpen", {"textDocument": {"uri": LOG, "languageId": "log", "version": 1, "text": "step 1\n"}})
    place = {"line": position[0], "character": position[1]}
    answer = await wire.request("textDocument/hover", {"textDocument": {"uri": uri}, "position": place})
    assert answer.get("result") is None
    assert "error" not in answer


@pytest.mark.parametrize("place", [((9, 9), (99, 99)), ((0, 5), (0, 1)), ((2**31 - 1, 0), (2**31 - 1, 0))])
async def test_edits_beyond_the_text_move_to_its_end(wire: Wire, place: tuple[tuple[int, int], tuple[int, int]]) -> None:
    await wire.notify("textDocument/didOpen", {"textDocument": {"uri": LOG, "languageId": "log", "version": 1, "text": "step 1\n"}})
    start, end = ({"line": line, "character": character} for line, character in place)
    change = {"range": {"start": start, "end": end}, "text": "x"}
    await wire.notify("textDocument/didChange", {"textDocument": {"uri": LOG, "version": 2}, "contentChanges": [change]})
    assert await wire.is_well()


async def test_changes_and_closing_of_unknown_documents_are_ignored(wire: Wire) -> None:
    change = {"textDocument": {"uri": "untitled:none", "version": 2}, "contentChanges": [{"text": "x"}]}
    await wire.notify("textDocument/didChange", change)
    await wire.notify("textDocument/didClose", {"textDocument": {"uri": "untitled:none"}})
    await wire.notify("textDocument/didOpen", {"textDocument": None})
    await wire.notify("$/cancelRequest", {"id": 12345})
    await wire.notify("window/workDoneProgress/cancel", {"token": "none"})
    assert await wire.is_well()


async def test_a_line_of_fifty_megabytes(wire: Wire) -> None:
    text = "x" * 49_000_000 + "\nValueError: at the end\n"
    await wire.notify("textDocument/didOpen", {"textDocument": {"uri": "untitled:long", "languageId": "log", "version": 1, "text": text}})
    hover = {"textDocument": {"uri": "untitled:long"}, "position": {"line": 1, "character": 2}}
    assert "error" not in await wire.request("textDocument/hover", hover)
    await wire.notify("textDocument/didClose", {"textDocument": {"uri": "untitled:long"}})
    assert await wire.is_well()


async def test_a_document_beyond_the_limit_says_so(wire: Wire) -> None:
    text = "x\n" * 25_500_000
    await wire.notify("textDocument/didOpen", {"textDocument": {"uri": "untitled:big", "languageId": "log", "version": 1, "text": text}})
    answer = await wire.request("textDocument/diagnostic", {"textDocument": {"uri": "untitled:big"}})
    assert "firstfault.limits.documentMegabytes" in answer["result"]["items"][0]["message"]
    await wire.notify("textDocument/didClose", {"textDocument": {"uri": "untitled:big"}})


async def test_texts_with_halves_of_characters(wire: Wire) -> None:
    body = b'{"jsonrpc": "2.0", "id": "half", "method": "firstfault/diagnose", "params": {"text": "\\ud83d\\nValueError: x\\udc00\\n"}}'
    await wire.raw(framed(body))
    assert "result" in await wire.answer("half")


async def test_before_initialize_only_initialize_is_answered() -> None:
    wire = await began(initialize=False)
    assert (await wire.request("textDocument/hover", {}))["error"]["code"] == -32002
    assert "result" in await wire.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    await wire.leave()


async def test_after_shutdown_requests_are_refused_and_exit_ends_the_process() -> None:
    wire = await began()
    await wire.request("shutdown", None)
    assert (await wire.request("textDocument/hover", {}))["error"]["code"] == -32600
    await wire.notify("exit", None)
    assert await asyncio.wait_for(wire.process.wait(), PATIENCE) == 0


@pytest.mark.parametrize("end", ["stdin", "stdout"])
async def test_a_client_that_goes_away_ends_the_server_without_a_traceback(end: str) -> None:
    wire = await began()
    process = wire.process
    assert process.stdin is not None
    assert process.stderr is not None
    if end == "stdin":
        process.stdin.close()
    else:
        process._transport.get_pipe_transport(1).close()  # type: ignore[attr-defined]
        await wire.send({"jsonrpc": "2.0", "id": 9, "method": "firstfault/diagnose", "params": {"text": "x"}})
    assert await asyncio.wait_for(process.wait(), PATIENCE) == 1
    assert b"Traceback" not in await process.stderr.read()
