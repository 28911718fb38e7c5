"""Python tracebacks as they really stand in logs: chained, grouped, sent along, prefixed, interleaved, cut."""

from __future__ import annotations

import pytest

from firstfault.engine import Engine

from .blocks import read

PLAIN = """\
Traceback (most recent call last):
  File "/workspace/train.py", line 88, in <module>
    main()
    ~~~~^^
  File "/workspace/train.py", line 61, in main
    loss = model(batch["input_ids"])
                 ~~~~~^^^^^^^^^^^^^
KeyError: 'input_ids'
"""


def _prefixed(prefix: str, log: str = PLAIN) -> str:
    return "".join(f"{prefix}{line}\n" for line in log.splitlines())


def test_frames_carry_file_line_function_and_source() -> None:
    (raised,), end = read(PLAIN)
    assert [tuple(f) for f in raised.frames] == [
        ("/workspace/train.py", 88, "<module>", "main()"),
        ("/workspace/train.py", 61, "main", 'loss = model(batch["input_ids"])'),
    ]
    assert (raised.type, raised.message, raised.start_line, raised.line, raised.end_line, end) == (
        "KeyError",
        "KeyError: 'input_ids'",
        1,
        8,
        8,
        8,
    )


CHAINS = {
    "The above exception was the direct cause of the following exception:": "cause",
    "During handling of the above exception, another exception occurred:": "context",
}


@pytest.mark.parametrize(("sentence", "link"), CHAINS.items())
def test_a_chain_keeps_its_order_and_its_links(sentence: str, link: str) -> None:
    second = 'Traceback (most recent call last):\n  File "/workspace/run.py", line 5, in <module>\n    go()\nRuntimeError: step failed\n'
    log = f"{PLAIN}\n{sentence}\n\n{second}"
    inner, outer = read(log)[0]
    assert (inner.type, inner.link, outer.type, outer.link) == ("KeyError", "none", "RuntimeError", link)
    assert [f.file for f in outer.frames] == ["/workspace/run.py"]
    assert (inner.line, outer.line, outer.end_line) == (8, 15, 15)


MESSAGES = [
    pytest.param("ValueError: line one\nline two\n\nline three", id="several lines"),
    pytest.param("ValueError: bad\nAdded note: on rank 3\n  and more of it", id="notes"),
    pytest.param("AssertionError", id="no message"),
    pytest.param("torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.", id="qualified name"),
    pytest.param("ValueError: a: b: c", id="colons in the message"),
    pytest.param(
        "RuntimeError: CUDA error: device-side assert triggered\n"
        "CUDA kernel errors might be asynchronously reported at some other API call.\n"
        "For debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.",
        id="CUDA hint",
    ),
]


@pytest.mark.parametrize("message", MESSAGES)
def test_the_message_is_kept_whole(message: str) -> None:
    (raised,), _ = read(PLAIN.replace("KeyError: 'input_ids'", message))
    assert raised.message == message
    assert raised.type == message.split(":", maxsplit=1)[0].split("\n", maxsplit=1)[0]


@pytest.mark.parametrize(
    "after",
    [
        "[2026-12-01 10:00:00,000] [INFO] [launch.py:319:sigkill_handler] Killing subprocess 1234",
        "srun: error: node1: task 3: Exited with exit code 1",
        "W1201 10:00:00.000000 4242 torch/distributed/elastic/multiprocessing/api.py:900] Sending process 1 closing signal SIGTERM",
        "wandb: Waiting for W&B process to finish",
        "terminate called without an active exception",
    ],
)
def test_what_others_say_next_is_no_part_of_the_message(after: str) -> None:
    (raised,), end = read(PLAIN + after + "\n")
    assert (raised.message, end) == ("KeyError: 'input_ids'", 8)


def test_repeated_frames_of_a_recursion_are_passed_over() -> None:
    log = PLAIN.replace("KeyError", "  [Previous line repeated 996 more times]\nRecursionError").replace("    ~~~~^^\n", "")
    (raised,), _ = read(log)
    assert raised.type == "RecursionError"
    assert len(raised.frames) == 2


def test_a_syntax_error_names_the_file_that_does_not_parse() -> None:
    log = """\
Traceback (most recent call last):
  File "/workspace/train.py", line 3, in <module>
    import model
  File "/workspace/model.py", line 17
    def forward(self, x)
                        ^
SyntaxError: expected ':'
"""
    (raised,), _ = read(log)
    assert (raised.type, raised.frames[-1].file, raised.frames[-1].line) == ("SyntaxError", "/workspace/model.py", 17)


# --- groups and tracebacks from elsewhere -----------------------------------------------------------------------------

GROUP = """\
  + Exception Group Traceback (most recent call last):
  |   File "/workspace/serve.py", line 20, in <module>
  |     asyncio.run(main())
  | ExceptionGroup: unhandled errors in a TaskGroup (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "/workspace/serve.py", line 8, in fetch
    |     raise ValueError("bad shard")
    | ValueError: bad shard
    +---------------- 2 ----------------
    | Traceback (most recent call last):
    |   File "/workspace/serve.py", line 12, in load
    |     raise OSError("no space")
    | OSError: no space
    +------------------------------------
done
"""


def test_a_group_gives_the_group_and_its_members() -> None:
    raised, end = read(GROUP)
    assert [(r.type, r.message.split(": ")[1], r.link) for r in raised] == [
        ("ExceptionGroup", "unhandled errors in a TaskGroup (2 sub-exceptions)", "none"),
        ("ValueError", "bad shard", "inner"),
        ("OSError", "no space", "inner"),
    ]
    assert [r.frames[-1].line for r in raised] == [20, 8, 12]
    assert end == 14


def test_a_group_that_something_else_followed_is_part_of_the_chain() -> None:
    sentence = "During handling of the above exception, another exception occurred:"
    raised, _ = read(GROUP.replace("done\n", f"\n{sentence}\n\n{PLAIN}"))
    assert [(r.type, r.link) for r in raised] == [
        ("ExceptionGroup", "none"),
        ("ValueError", "inner"),
        ("OSError", "inner"),
        ("KeyError", "context"),
    ]


NESTED = {
    "DataLoader worker": """\
Traceback (most recent call last):
  File "/workspace/train.py", line 30, in <module>
    for batch in loader:
  File "/usr/lib/python3/dist-packages/torch/utils/data/dataloader.py", line 701, in __next__
    data = self._next_data()
KeyError: Caught KeyError in DataLoader worker process 0.
Original Traceback (most recent call last):
  File "/usr/lib/python3/dist-packages/torch/utils/data/_utils/worker.py", line 351, in _worker_loop
    data = fetcher.fetch(index)
  File "/workspace/dataset.py", line 12, in __getitem__
    return self.index[i]
KeyError: 'img_0042'
""",
    "process pool": '''\
concurrent.futures.process._RemoteTraceback:\x20
"""
Traceback (most recent call last):
  File "/usr/lib/python3.11/concurrent/futures/process.py", line 256, in _process_worker
    r = call_item.fn(*call_item.args)
  File "/workspace/dataset.py", line 12, in tokenize
    return vocab[word]
KeyError: 'img_0042'
"""

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/workspace/train.py", line 30, in <module>
    list(pool.map(tokenize, words))
KeyError: 'img_0042'
''',
    "mp.spawn": """\
Traceback (most recent call last):
  File "/workspace/train.py", line 30, in <module>
    mp.spawn(run, nprocs=2)
  File "/usr/lib/python3/dist-packages/torch/multiprocessing/spawn.py", line 170, in join
    raise ProcessRaisedException(msg, error_index, failed_process.pid)
torch.multiprocessing.spawn.ProcessRaisedException:\x20

-- Process 1 terminated with the following error:
Traceback (most recent call last):
  File "/usr/lib/python3/dist-packages/torch/multiprocessing/spawn.py", line 90, in _wrap
    fn(i, *args)
  File "/workspace/dataset.py", line 12, in run
    return table[i]
KeyError: 'img_0042'
""",
    "Ray task": """\
Traceback (most recent call last):
  File "/workspace/train.py", line 30, in <module>
    ray.get(refs)
ray.exceptions.RayTaskError(KeyError): ray::load() (pid=4242, ip=10.0.0.2)
  File "/workspace/dataset.py", line 12, in load
    return table[i]
KeyError: 'img_0042'
""",
}


@pytest.mark.parametrize("log", NESTED.values(), ids=NESTED.keys())
def test_the_traceback_that_a_worker_sent_along_is_read_too(log: str) -> None:
    raised, _ = read(log)
    inner = [r for r in raised if any(f.file == "/workspace/dataset.py" for f in r.frames)]
    assert inner
    assert inner[0].type.endswith("KeyError")
    assert "img_0042" in inner[0].message


# --- how it stands in the log -----------------------------------------------------------------------------------------

PREFIXES = [
    "[rank3]: ",
    "2026-12-01 10:00:00,123 - trainer - ERROR - ",
    "2026-12-01T02:24:58.123456789Z stderr F ",
    "[default0]:[rank3]: ",
    "(RayTrainWorker pid=4242, ip=10.0.0.2) ",
    "Dec 01 02:24:58 node1 train.sh[4242]: ",
    "(EngineCore_0 pid=4242) ERROR 12-01 02:24:58 [core.py:58] ",
]


@pytest.mark.parametrize("prefix", PREFIXES)
def test_a_prefix_on_each_line_does_not_matter(prefix: str) -> None:
    (raised,), end = read(_prefixed(prefix))
    assert (raised.message, [f.line for f in raised.frames], end) == ("KeyError: 'input_ids'", [88, 61], 8)


@pytest.mark.parametrize(
    "prefix", ["[rank3]: ", "2026-12-01 10:00:00,123 - trainer - ERROR - ", "[2026-12-01 10:00:00,123][trainer][ERROR] - "]
)
def test_a_prefix_on_the_first_line_alone_does_not_matter(prefix: str) -> None:
    (raised,), _ = read(prefix + PLAIN)
    assert (raised.message, [f.line for f in raised.frames]) == ("KeyError: 'input_ids'", [88, 61])


def test_text_of_a_logger_before_the_head_does_not_matter() -> None:
    (raised,), _ = read("2026-12-01 10:00:00,123 ERROR training failed: " + PLAIN)
    assert raised.message == "KeyError: 'input_ids'"


@pytest.mark.parametrize("indent", ["    ", "      ", "\t", "  | ", "  │ "])
def test_an_indented_traceback_is_read_as_one_at_the_margin(indent: str) -> None:
    (raised,), _ = read(_prefixed(indent))
    assert (raised.message, [f.line for f in raised.frames]) == ("KeyError: 'input_ids'", [88, 61])


def test_the_output_of_pip_holds_an_indented_traceback() -> None:
    log = (
        "  error: subprocess-exited-with-error\n  × python setup.py egg_info did not run successfully.\n  │ exit code: 1\n"
        "  ╰─> [8 lines of output]\n" + _prefixed("      ") + "      [end of output]\n"
    )
    (raised,), _ = read(log)
    assert raised.message.startswith("KeyError: 'input_ids'")


def test_interleaved_ranks_are_told_apart(engine: Engine) -> None:
    other = PLAIN.replace("'input_ids'", "'labels'").replace("line 61", "line 77")
    mixed = [
        line for pair in zip(_prefixed("[rank0]: ").splitlines(), _prefixed("[rank1]: ", other).splitlines(), strict=True) for line in pair
    ]
    scan = engine.scan_text("\n".join(mixed) + "\n")
    blocks = {f.block for f in scan.findings if f.block is not None}
    assert {(b.origin.rank, b.raised[0].message, b.raised[0].frames[-1].line) for b in blocks} == {
        (0, "KeyError: 'input_ids'", 61),
        (1, "KeyError: 'labels'", 77),
    }


def test_two_tracebacks_in_a_row_are_two_blocks(engine: Engine) -> None:
    scan = engine.scan_text(PLAIN + PLAIN.replace("'input_ids'", "'labels'"))
    assert {f.block.text for f in scan.findings if f.block} == {"KeyError: 'input_ids'", "KeyError: 'labels'"}


@pytest.mark.parametrize("cut", [1, 2, 4])
def test_a_traceback_whose_head_is_cut_off_is_still_an_exception(engine: Engine, cut: int) -> None:
    scan = engine.scan_text("\n".join(PLAIN.splitlines()[cut:]) + "\n")
    (block,) = {f.block for f in scan.findings if f.block}
    assert block.raised[0].message == "KeyError: 'input_ids'"
    assert block.raised[0].frames[-1].line == 61


def test_a_traceback_that_breaks_off_before_its_exception_is_no_exception() -> None:
    raised, _ = read("\n".join(PLAIN.splitlines()[:5]) + "\n")
    assert raised == []


def test_a_word_about_tracebacks_is_none(engine: Engine) -> None:
    scan = engine.scan_text("INFO set TORCH_SHOW_CPP=1 to see the Traceback (most recent call last) of workers\nstep 1\nstep 2\n")
    assert not scan.findings
