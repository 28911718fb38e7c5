"""Edits of the user's own files: minimal where the code fits, none where it does not."""

from __future__ import annotations

import ast

import pytest

from firstfault.advise.edits import applied, is_launch_file, proposals

UNUSED = {"kind": "set-keyword", "call": "DistributedDataParallel", "keyword": "find_unused_parameters", "value": "True"}
WORKERS = {"kind": "set-keyword", "call": "DataLoader", "keyword": "num_workers", "value": "0", "position": "5"}
LOAD = {"kind": "set-keyword", "call": "torch.load", "keyword": "map_location", "value": "'cpu'", "position": "1"}
LONG = {"kind": "wrap-argument", "call": "cross_entropy", "keyword": "target", "position": "1", "template": "{}.long()"}
NUMPY = {"kind": "replace-method", "call": "numpy", "by": "detach().cpu().numpy"}
NCCL = {"kind": "set-env", "name": "NCCL_SOCKET_IFNAME", "value": "eth0"}


def edited(edit: dict[str, str], text: str, name: str = "train.py", line: int | None = None) -> str | None:
    """The text after the first proposal, or None when there is none."""
    found = proposals(edit, text, name, line)
    return applied(text, found[0].changes) if found else None


ADDED = {
    "after the last positional": ("m = DistributedDataParallel(m)\n", "m = DistributedDataParallel(m, find_unused_parameters=True)\n"),
    "after the last keyword": (
        "m = DistributedDataParallel(m, device_ids=[0])\n",
        "m = DistributedDataParallel(m, device_ids=[0], find_unused_parameters=True)\n",
    ),
    "after a trailing comma": ("m = DistributedDataParallel(m,)\n", "m = DistributedDataParallel(m, find_unused_parameters=True,)\n"),
    "without arguments": ("m = DistributedDataParallel()\n", "m = DistributedDataParallel(find_unused_parameters=True)\n"),
    "under another name": (
        "from torch.nn.parallel import DistributedDataParallel as DDP\nm = DDP(m)\n",
        "from torch.nn.parallel import DistributedDataParallel as DDP\nm = DDP(m, find_unused_parameters=True)\n",
    ),
    "through a module": (
        "import torch.nn as nn\nm = nn.parallel.DistributedDataParallel(m)\n",
        "import torch.nn as nn\nm = nn.parallel.DistributedDataParallel(m, find_unused_parameters=True)\n",
    ),
    "on a line of its own, with its comma": (
        "m = DistributedDataParallel(\n    m,\n    device_ids=[0],\n)\n",
        "m = DistributedDataParallel(\n    m,\n    device_ids=[0],\n    find_unused_parameters=True,\n)\n",
    ),
    "on a line of its own, without a comma": (
        "m = DistributedDataParallel(\n    m,\n    device_ids=[0]\n)\n",
        "m = DistributedDataParallel(\n    m,\n    device_ids=[0],\n    find_unused_parameters=True\n)\n",
    ),
    "behind a comment": (
        "m = DistributedDataParallel(\n    m,\n    device_ids=[0]  # local, one\n)\n",
        "m = DistributedDataParallel(\n    m,\n    device_ids=[0],  # local, one\n    find_unused_parameters=True\n)\n",
    ),
    "behind a comment that holds a bracket": (
        "m = DistributedDataParallel(m  # why (\n)\n",
        "m = DistributedDataParallel(m, find_unused_parameters=True  # why (\n)\n",
    ),
    "with the closing bracket on the last argument": (
        "m = DistributedDataParallel(\n    m,\n    device_ids=[0])\n",
        "m = DistributedDataParallel(\n    m,\n    device_ids=[0],\n    find_unused_parameters=True)\n",
    ),
    "behind an argument in brackets": (
        "m = DistributedDataParallel((m))\n",
        "m = DistributedDataParallel((m), find_unused_parameters=True)\n",
    ),
    "in a nested call": (
        "m = wrap(DistributedDataParallel(build(m)), 1)\n",
        "m = wrap(DistributedDataParallel(build(m), find_unused_parameters=True), 1)\n",
    ),
    "in a decorator": (
        "@register(DistributedDataParallel(m))\ndef f(): ...\n",
        "@register(DistributedDataParallel(m, find_unused_parameters=True))\ndef f(): ...\n",
    ),
    "with tabs": (
        "if a:\n\tm = DistributedDataParallel(\n\t\tm,\n\t)\n",
        "if a:\n\tm = DistributedDataParallel(\n\t\tm,\n\t\tfind_unused_parameters=True,\n\t)\n",
    ),
    "with CRLF": (
        "a = 1\r\nm = DistributedDataParallel(\r\n    m,\r\n)\r\n",
        "a = 1\r\nm = DistributedDataParallel(\r\n    m,\r\n    find_unused_parameters=True,\r\n)\r\n",
    ),
    "behind characters that are not ASCII": (
        "é = '日本😀'; m = DistributedDataParallel(é)\n",
        "é = '日本😀'; m = DistributedDataParallel(é, find_unused_parameters=True)\n",
    ),
    "behind a byte order mark": (
        "\ufeffm = DistributedDataParallel(m)\n",
        "\ufeffm = DistributedDataParallel(m, find_unused_parameters=True)\n",
    ),
    "behind a form feed": (
        "\fa = 1\nm = DistributedDataParallel(m)\n",
        "\fa = 1\nm = DistributedDataParallel(m, find_unused_parameters=True)\n",
    ),
    "with a starred argument": (
        "m = DistributedDataParallel(*parts)\n",
        "m = DistributedDataParallel(*parts, find_unused_parameters=True)\n",
    ),
    "in place of another value": (
        "m = DistributedDataParallel(m, find_unused_parameters=False)\n",
        "m = DistributedDataParallel(m, find_unused_parameters=True)\n",
    ),
}


@pytest.mark.parametrize(("before", "after"), ADDED.values(), ids=list(ADDED))
def test_a_keyword_is_added(before: str, after: str) -> None:
    assert edited(UNUSED, before) == after
    ast.parse(after.removeprefix("\ufeff"))


UNFIT = {
    "set already": "m = DistributedDataParallel(m, find_unused_parameters=True)\n",
    "perhaps set by a mapping": "m = DistributedDataParallel(m, **options)\n",
    "a generator without brackets": "m = DistributedDataParallel(x for x in y)\n",
    "no such call": "m = DataParallel(m)\n",
    "only in a text": "print('DistributedDataParallel(m)')\n",
    "only in a comment": "# DistributedDataParallel(m)\n",
    "a name that only ends alike": "m = MyDistributedDataParallel(m)\n",
    "the class, not a call": "class A(DistributedDataParallel): ...\n",
    "does not parse": "m = DistributedDataParallel(m\n",
    "empty": "",
    "null byte": "m = DistributedDataParallel(m)\0\n",
}


@pytest.mark.parametrize("text", UNFIT.values(), ids=list(UNFIT))
def test_code_that_does_not_fit_is_left_alone(text: str) -> None:
    assert proposals(UNUSED, text, "train.py") == []


def test_a_value_given_by_position_is_replaced_there() -> None:
    assert edited(LOAD, "import torch\nx = torch.load(path, 'cuda:0')\n") == "import torch\nx = torch.load(path, 'cpu')\n"
    assert edited(WORKERS, "d = DataLoader(s, 8, True, None, None, 16)\n") == "d = DataLoader(s, 8, True, None, None, 0)\n"


def test_nothing_is_proposed_where_a_starred_argument_may_give_the_value() -> None:
    assert edited(WORKERS, "d = DataLoader(*options)\n") is None


def test_a_dotted_name_means_that_module_alone() -> None:
    assert edited(LOAD, "import json\nx = json.load(f)\n") is None
    assert edited(LOAD, "from json import load\nx = load(f)\n") is None
    assert edited(LOAD, "import torch as th\nx = th.load(f)\n") == "import torch as th\nx = th.load(f, map_location='cpu')\n"
    assert edited(LOAD, "from torch import load as get\nx = get(f)\n") == "from torch import load as get\nx = get(f, map_location='cpu')\n"


def test_a_star_stands_for_any_part_of_a_name() -> None:
    call = "*Model*.from_pretrained|*For*.from_pretrained"
    edit = {"kind": "set-keyword", "call": call, "keyword": "attn_implementation", "value": "'sdpa'"}
    text = "t = AutoTokenizer.from_pretrained(n)\nm = transformers.LlamaForCausalLM.from_pretrained(n)\nfrom_pretrained(n)\n"
    (found,) = proposals(edit, text, "a.py")
    assert (found.line, found.title) == (2, "Set attn_implementation='sdpa' in LlamaForCausalLM.from_pretrained(...)")


def test_the_call_that_the_traceback_names_is_the_only_one_offered() -> None:
    text = "import torch\na = torch.load(p)\nb = torch.load(q)\n"
    found = proposals(LOAD, text, "train.py", 3)
    assert [(p.line, p.exact) for p in found] == [(3, True)]


def test_without_the_line_every_call_is_offered_and_none_is_called_exact() -> None:
    found = proposals(LOAD, "import torch\na = torch.load(p)\nb = torch.load(q)\n", "train.py", 9)
    assert [(p.line, p.exact) for p in found] == [(2, False), (3, False)]


def test_a_file_of_many_calls_gets_few_proposals() -> None:
    text = "import torch\n" + "x = torch.load(p)\n" * 50
    assert len(proposals(LOAD, text, "train.py")) == 5


@pytest.mark.parametrize("edit", [UNUSED, WORKERS, LOAD, LONG, NUMPY])
@pytest.mark.parametrize(
    "text", ["f'{torch.load(x)}'\n", "x = (yield)\n", "lambda: torch.load(*a, **b)\n", "torch.load\n", "\\\n", "#\r#\n"]
)
def test_odd_code_is_answered_with_edits_that_parse(edit: dict[str, str], text: str) -> None:
    for proposal in proposals(edit, text, "a.py", 1):
        ast.parse(applied(text, proposal.changes))


def test_titles_say_what_will_change() -> None:
    assert (
        proposals(UNUSED, "m = DistributedDataParallel(m)\n", "a.py")[0].title
        == "Set find_unused_parameters=True in DistributedDataParallel(...)"
    )
    assert proposals(WORKERS, "d = DataLoader(s, num_workers=8)\n", "a.py")[0].title == "Change num_workers=8 to 0 in DataLoader(...)"


CONVERTED = {
    "a name": ("loss = F.cross_entropy(out, y)\n", "loss = F.cross_entropy(out, y.long())\n"),
    "an attribute by keyword": ("loss = F.cross_entropy(out, target=b.y)\n", "loss = F.cross_entropy(out, target=b.y.long())\n"),
    "an expression": ("loss = F.cross_entropy(out, y + 1)\n", "loss = F.cross_entropy(out, (y + 1).long())\n"),
    "an item": ("loss = F.cross_entropy(out, b['y'])\n", "loss = F.cross_entropy(out, b['y'].long())\n"),
}


@pytest.mark.parametrize(("before", "after"), CONVERTED.values(), ids=list(CONVERTED))
def test_an_argument_is_converted_at_the_line_that_failed(before: str, after: str) -> None:
    assert edited(LONG, before, line=1) == after


def test_a_conversion_is_offered_nowhere_else() -> None:
    text = "loss = F.cross_entropy(out, y)\n"
    assert edited(LONG, text, line=2) is None
    assert edited(LONG, text) is None
    assert edited(LONG, "loss = F.cross_entropy(out, y.long())\n", line=1) is None
    assert edited(LONG, "loss = F.cross_entropy(*pair)\n", line=1) is None


def test_a_method_is_replaced_at_the_line_that_failed() -> None:
    assert edited(NUMPY, "a = f(x).numpy()\n", line=1) == "a = f(x).detach().cpu().numpy()\n"
    assert edited(NUMPY, "a = (x + 1).numpy()\n", line=1) == "a = (x + 1).detach().cpu().numpy()\n"
    assert edited(NUMPY, "a = x.detach().cpu().numpy()\n", line=1) is None
    assert edited(NUMPY, "a = numpy()\n", line=1) is None


SCRIPTS = {
    "train.sh": ("#!/bin/bash\ntorchrun train.py\n", "#!/bin/bash\nexport NCCL_SOCKET_IFNAME=eth0\ntorchrun train.py\n"),
    "run.sbatch": (
        "#SBATCH -N 2\nexport NCCL_SOCKET_IFNAME=ib0 # fabric\nsrun python t.py\n",
        "#SBATCH -N 2\nexport NCCL_SOCKET_IFNAME=eth0 # fabric\nsrun python t.py\n",
    ),
    "nested.sh": ("if x; then\r\n  srun a\r\nfi\r\n", "if x; then\r\n  export NCCL_SOCKET_IFNAME=eth0\r\n  srun a\r\nfi\r\n"),
    "prefixed.sh": ("NCCL_DEBUG=INFO torchrun a.py\n", "export NCCL_SOCKET_IFNAME=eth0\nNCCL_DEBUG=INFO torchrun a.py\n"),
    ".env": ("A=1", "A=1\nNCCL_SOCKET_IFNAME=eth0\n"),
    "prod.env": ("NCCL_SOCKET_IFNAME = ib0\nB=2\n", "NCCL_SOCKET_IFNAME = eth0\nB=2\n"),
    "Dockerfile": ('FROM x\nCMD ["a"]\n', 'FROM x\nENV NCCL_SOCKET_IFNAME=eth0\nCMD ["a"]\n'),
    "pod.yaml": (
        "spec:\n  containers:\n  - name: t\n    env:\n    - name: A\n      value: '1'\n    image: x\n",
        "spec:\n  containers:\n  - name: t\n    env:\n    - name: A\n      value: '1'\n"
        '    - name: NCCL_SOCKET_IFNAME\n      value: "eth0"\n    image: x\n',
    ),
    "compose.yml": (
        "services:\n  t:\n    environment:\n      A: 1  # one\n    image: x\n",
        'services:\n  t:\n    environment:\n      A: 1  # one\n      NCCL_SOCKET_IFNAME: "eth0"\n    image: x\n',
    ),
    "list.yml": ("environment:\n  - A=1\n  - NCCL_SOCKET_IFNAME=ib0\n", "environment:\n  - A=1\n  - NCCL_SOCKET_IFNAME=eth0\n"),
    "launch.json": ('{"env": {"A": "1"}}\n', '{"env": {"A": "1", "NCCL_SOCKET_IFNAME": "eth0"}}\n'),
    "wide.json": (
        '{\n  "env": {\n    "A": "1"\n  }\n}\n',
        '{\n  "env": {\n    "A": "1",\n    "NCCL_SOCKET_IFNAME": "eth0"\n  }\n}\n',
    ),
}


SCRIPTS["dos.yml"] = ("environment:\r\n  - A=1\r\nx: 1\r\n", "environment:\r\n  - A=1\r\n  - NCCL_SOCKET_IFNAME=eth0\r\nx: 1\r\n")
SCRIPTS["tabs.json"] = (
    '{\n\t"env": {\n\t\t"A": "1"\n\t}\n}\n',
    '{\n\t"env": {\n\t\t"A": "1",\n\t\t"NCCL_SOCKET_IFNAME": "eth0"\n\t}\n}\n',
)
SCRIPTS["two.yaml"] = ("a: 1\n---\nenv: {A: b}\n", 'a: 1\n---\nenv: {A: b, "NCCL_SOCKET_IFNAME": "eth0"}\n')
SCRIPTS["continued.sh"] = (
    "export A=1\nsrun \\\n  python t.py\n",
    "export A=1\nexport NCCL_SOCKET_IFNAME=eth0\nsrun \\\n  python t.py\n",
)


@pytest.mark.parametrize(("name", "texts"), SCRIPTS.items(), ids=list(SCRIPTS))
def test_a_variable_is_set_in_the_file_that_starts_the_run(name: str, texts: tuple[str, str]) -> None:
    before, after = texts
    assert is_launch_file(name)
    assert edited(NCCL, before, name) == after
    assert edited(NCCL, after, name) is None


@pytest.mark.parametrize(
    ("name", "text"),
    {
        "notes.sh": "echo hello\n",
        "config.yaml": "model: {size: 7}\n",
        "broken.yaml": "env: [a\n",
        "broken.json": '{"env": {"A": "1"',
        "Dockerfile": "FROM x\n",
        "values.json": '{"env": "prod"}',
        "train.py": "import os\n",
    }.items(),
)
def test_a_file_that_starts_nothing_is_left_alone(name: str, text: str) -> None:
    assert proposals(NCCL, text, name) == []


def test_a_value_with_spaces_is_quoted_for_its_shell() -> None:
    edit = {"kind": "set-env", "name": "X", "value": "a b"}
    assert edited(edit, "torchrun a.py\n", "a.sh") == "export X='a b'\ntorchrun a.py\n"
