"""Redaction: what must go, what must stay, and that equal things stay equal."""

from __future__ import annotations

from dataclasses import asdict, replace

import pytest

from firstfault.engine import Engine
from firstfault.privacy.redact import redact
from firstfault.privacy.secrets import mask_secrets
from firstfault.report import Report
from firstfault.views import json as json_view

KEY = "AbCdEfGh" + "IjKlMnOp" + "0123456789"
"""Joined at run time, so that scanners for leaked keys do not stop at this file."""


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine()


def report_of(engine: Engine, log: str, name: str = "run.log", *, hosts: tuple[str, ...] = ()) -> Report:
    report = engine.report([engine.scan_text(log, name)])
    return replace(report, run=replace(report.run, hosts=list(hosts)))


def with_note(engine: Engine, note: str, *, hosts: tuple[str, ...] = ()) -> str:
    return redact(replace(report_of(engine, "fine\n", hosts=hosts), notes=[note])).notes[0]


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        (f"HF_TOKEN=hf_{KEY}", "HF_TOKEN=<token>"),
        (f"using hf_{KEY} now", "using <token> now"),
        (f"sk-proj-{KEY}", "<token>"),
        (f"ghp_{KEY} and github_pat_{KEY}", "<token> and <token>"),
        ("AKIA" + "IOSFODNN7EXAMPLE", "<token>"),
        (f"Authorization: Bearer {KEY}", "Authorization: Bearer <token>"),
        ("https://bob:hunter2@proxy:8080/x", "https://<token>@proxy:8080/x"),
        (f"git clone https://{KEY}@example.org/x", "git clone https://<token>@example.org/x"),
        ("password: hunter2", "password: <token>"),
        ("{'password': 'two words', \"api_key\": \"k\"}", "{'password': '<token>', \"api_key\": \"<token>\"}"),
        ("AWS_SECRET_ACCESS_KEY=wJalr/x+y", "AWS_SECRET_ACCESS_KEY=<token>"),
        ("train.py --token abc --api-key=def --lr 1", "train.py --token <token> --api-key=<token> --lr 1"),
        ("s3://b/k?X-Amz-Signature=dead&x=1", "s3://b/k?X-Amz-Signature=<token>&x=1"),
        ("-----BEGIN RSA PRIVATE KEY----- MII ab -----END RSA PRIVATE KEY----- after", "<token> after"),
        ("-----BEGIN PRIVATE KEY----- MII ab cut", "<token>"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0.abc-DEF", "<token>"),
        ("wandb login 0123456789abcdef0123456789abcdef01234567", "wandb login <token>"),
    ],
)
def test_secrets_are_masked(text: str, masked: str) -> None:
    assert mask_secrets(text) == masked


@pytest.mark.parametrize(
    "text",
    [
        "pad_token=<pad> eos_token: '</s>' EOS_TOKEN=151643 --pad-token X",
        "max_tokens=4096 num_tokens: 12 tokenizer=llama token: 3",
        "commit 0123456789abcdef0123456789abcdef01234567",
        "got multiple values for keyword argument 'password'",
        "api_key=None",
        "The api_key client option must be set",
        "PWD=/workspace/run",
        "hf_transfer hf_hub_download_and_cache",
        "Renew the credentials: log in again",
        "KeyError: 'transformer.h.0.attn.bias'",
    ],
)
def test_ordinary_words_of_training_logs_stay(text: str) -> None:
    assert mask_secrets(text) == text


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("/home/alice/train.py:3, /scratch/alice/x", "/home/<user-1>/train.py:3, /scratch/<user-1>/x"),
        ("/Users/bob/a.py", "/Users/<user-1>/a.py"),
        ("C:\\Users\\John Smith\\run.log", "C:\\Users\\<user-1>\\run.log"),
        ("C:/Users/bob/run.log", "C:/Users/<user-1>/run.log"),
        ("mail a.b@example.org, then c@example.org and a.b@example.org", "mail <email-1>, then <email-2> and <email-1>"),
        ("10.1.2.3:29500 and 10.1.2.4, 10.1.2.3", "<ip-1>:29500 and <ip-2>, <ip-1>"),
        ("[fe80::a1b2]:29500 from ::ffff:10.0.0.9", "[<ip-2>]:29500 from ::ffff:<ip-1>"),
        ("listening on 127.0.0.1, localhost, ::1 and 0.0.0.0", "listening on 127.0.0.1, localhost, ::1 and 0.0.0.0"),
        ("nvidia-cublas-cu12==12.1.3.1, libcudnn.so.8.9.2.26", "nvidia-cublas-cu12==12.1.3.1, libcudnn.so.8.9.2.26"),
        ("17:30:34 0000:3b:00.0 c10::Error at::native", "17:30:34 0000:3b:00.0 c10::Error at::native"),
        ("tcp://trainer:29500, trainer is up", "tcp://<host-1>:29500, <host-1> is up"),
    ],
)
def test_people_and_addresses_are_masked(engine: Engine, text: str, masked: str) -> None:
    assert with_note(engine, text) == masked


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("ssh node7 'dmesg -T'", "ssh <host-1> 'dmesg -T'"),
        ("node7.cluster.example.com is node7 is Node7", "<host-1> is <host-1> is <host-1>"),
        ("logs/node7_rank0.log:12", "logs/<host-1>_rank0.log:12"),
        ("node77 and mynode7 are others", "node77 and mynode7 are others"),
        ("alice@node7: alice@node7.cluster.example.com", "<user-1>@<host-1>: <user-1>@<host-1>"),
        ("node8 waits for node7", "<host-2> waits for <host-1>"),
    ],
)
def test_hosts_of_the_run_are_masked_everywhere(engine: Engine, text: str, masked: str) -> None:
    assert with_note(engine, text, hosts=("node7", "node8", "localhost")) == masked


LOG = f"""\
node7: Traceback (most recent call last):
node7:   File "/home/alice/train.py", line 8, in main
node7:     load()
node7: ShardError: cannot reach node7 (10.3.0.7) with token=hf_{KEY}
"""


def test_a_whole_report_gives_nothing_away(engine: Engine) -> None:
    report = report_of(engine, LOG, "/home/alice/logs/node7.err", hosts=("node7",))
    before, after = json_view.render(report), json_view.render(redact(report))
    for secret in ("alice", "node7", "10.3.0.7", KEY):
        assert secret in before
        assert secret not in after


def test_places_still_fit_together(engine: Engine) -> None:
    done = redact(report_of(engine, LOG, "/home/alice/logs/node7.err", hosts=("node7",)))
    incident = done.incidents[0]
    assert done.sources[0].name == "/home/<user-1>/logs/<host-1>.err"
    assert incident.initiator.source == done.sources[0].name
    assert {e.source for e in incident.evidence} == {done.sources[0].name}
    assert done.run.hosts == ["<host-1>"]


def test_our_own_words_and_numbers_do_not_change(engine: Engine) -> None:
    """Even where a host is called like a word of the report's vocabulary."""
    report = report_of(engine, LOG, hosts=("failure", "python", "code"))
    done = redact(report)
    assert (done.verdict, done.schema, done.tool) == (report.verdict, report.schema, report.tool)
    kept = ("signature", "category", "severity", "status", "confidence", "named_by", "references")
    for old, new in zip(report.incidents, done.incidents, strict=True):
        assert [getattr(old, name) for name in kept] == [getattr(new, name) for name in kept]
        assert [f.kind for f in old.fix] == [f.kind for f in new.fix]
        assert old.initiator.line == new.initiator.line


def test_redacting_twice_changes_nothing_more(engine: Engine) -> None:
    once = redact(report_of(engine, LOG, "/home/alice/logs/node7.err", hosts=("node7",)))
    assert redact(once) == once


def test_the_shape_of_the_report_stays(engine: Engine) -> None:
    report = report_of(engine, LOG)

    def shape(value: object) -> object:
        if isinstance(value, dict):
            return {k: shape(v) for k, v in value.items()}
        return [shape(v) for v in value] if isinstance(value, list) else type(value)

    assert shape(asdict(redact(report))) == shape(asdict(report))
