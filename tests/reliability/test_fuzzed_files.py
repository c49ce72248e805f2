"""Files that people hand us, bent in every way: they are read, or refused with a message, never with another error."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from multihop import Engine
from multihop.cli.filters import parse_filter
from multihop.errors import MultihopError
from multihop.evaluation.datasets import load
from multihop.evaluation.replay import replay
from multihop.evaluation.trec import read_qrels, read_run
from multihop.profiles import loading

from .soak import rounds

FUZZED = settings(
    max_examples=rounds(40, 5_000), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
ODD = (
    b"\xff\xfe", b"\x00", b'"', b"{", b"[" * 2_000, b"\r", b"\xe2\x80\xa8", b"-1", b"1e999", b"NaN", b"null", b"[]",
    b"99999999999999999999", b" " * 50, b"\xf0\x9f\x9a\xa2", b"=", b"#", b'\\ud800', b"Infinity", b"'''",
)  # fmt: skip
BENDINGS = st.lists(
    st.tuples(st.sampled_from(["cut", "drop", "insert", "repeat", "swap"]), st.floats(0, 1), st.sampled_from(ODD)),
    min_size=1,
    max_size=4,
)
Bending = list[tuple[str, float, bytes]]


def bent(content: bytes, bendings: Bending) -> bytes:
    for kind, where, odd in bendings:
        at = int(where * len(content))
        draw = random.Random(at)
        end = at + draw.randint(1, 40)
        if kind == "cut":
            content = content[:at]
        elif kind == "drop":
            content = content[:at] + content[end:]
        elif kind == "insert":
            content = content[:at] + odd + content[at:]
        elif kind == "repeat":
            content = content[:end] + content[at:end] * 3 + content[end:]
        else:
            content = content[:at] + content[at:end][::-1] + content[end:]
    return content


def read_or_refused(read: Callable[[], object]) -> None:
    try:
        read()
    except MultihopError as error:
        assert str(error)


@FUZZED
@given(bendings=BENDINGS)
def test_runs_and_gold_of_other_tools(bendings: Bending, tmp_path: Path) -> None:
    run, gold = tmp_path / "x.run", tmp_path / "x.qrels"
    run.write_bytes(bent(b"".join(b"q%d Q0 d+%d %d %d.5 tag\n" % (n % 3, n, n, 9 - n) for n in range(8)), bendings))
    gold.write_bytes(bent(b"".join(b"q%d 0 d+%d %d\n" % (n % 3, n, n % 2) for n in range(8)), bendings))
    read_or_refused(lambda: read_run(run))
    read_or_refused(lambda: read_qrels(gold))


@FUZZED
@given(bendings=BENDINGS, which=st.sampled_from(["corpus.jsonl", "queries.jsonl", "qrels/test.tsv"]))
def test_folders_in_the_layout_of_beir(bendings: Bending, which: str, tmp_path: Path) -> None:
    files = {
        "corpus.jsonl": b"".join(b'{"_id": "d%d", "title": "T %d", "text": "Some text."}\n' % (n, n) for n in range(4)),
        "queries.jsonl": b'{"_id": "q1", "text": "Who?"}\n{"_id": "q2", "text": "Where?"}\n',
        "qrels/test.tsv": b"query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td2\t1\n",
    }
    for name, content in files.items():
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(bent(content, bendings) if name == which else content)
    read_or_refused(lambda: list(load("beir", tmp_path, split="test").documents()))


@FUZZED
@given(bendings=BENDINGS)
def test_results_that_were_saved(bendings: Bending, sample: Engine) -> None:
    result = sample.retrieve("Who drew the Fram?", k=2, strategy="bm25")
    text = bent(json.dumps(result.to_dict()).encode(), bendings).decode("utf-8", "replace")
    read_or_refused(lambda: replay(sample, text))


@FUZZED
@given(bendings=BENDINGS, name=st.sampled_from(loading.names()))
def test_profiles(bendings: Bending, name: str, tmp_path: Path) -> None:
    content = Path(loading.__file__).with_name(f"{name}.toml").read_bytes()
    file = tmp_path / "own.toml"
    file.write_bytes(bent(content, bendings))
    read_or_refused(lambda: loading.load(file))


@FUZZED
@given(
    condition=st.one_of(
        st.text(max_size=30),
        st.lists(st.sampled_from(["country", "=", "!", "<", ">", "~", "19", "..", ",", "Norway", " ", "not", "or"]))
        .map("".join),
    )
)  # fmt: skip
def test_conditions(condition: str, sample: Engine) -> None:
    read_or_refused(lambda: sample.retrieve("Fram", k=1, strategy="bm25", where=parse_filter([condition])))
    read_or_refused(lambda: sample.filter_hints(parse_filter([condition])))


@pytest.mark.parametrize("depth", [100, 100_000])
def test_what_is_nested_too_deeply(depth: int, sample: Engine, tmp_path: Path) -> None:
    read_or_refused(lambda: replay(sample, "[" * depth))
    read_or_refused(lambda: replay(sample, '{"question":' * depth + "1" + "}" * depth))
    profile = tmp_path / "deep.toml"
    profile.write_text("x = " + "[" * depth + "]" * depth, encoding="utf-8")
    read_or_refused(lambda: loading.load(profile))
