from __future__ import annotations

import pytest

from multihop.cli.processor import limitation, limitation_of


@pytest.mark.parametrize(
    ("machine", "flags", "lacking"),
    [
        ("x86_64", {"avx2", "avx512f"}, "VNNI"),
        ("x86_64", {"avx2", "avx_vnni"}, None),
        ("x86_64", {"avx512f", "avx512_vnni"}, None),
        ("aarch64", {"asimd"}, "asimddp"),
        ("aarch64", {"asimd", "asimddp"}, None),
        ("x86_64", set(), None),
        ("riscv64", {"v"}, None),
    ],
)
def test_what_a_processor_lacks_is_named(machine: str, flags: set[str], lacking: str | None) -> None:
    said = limitation_of(machine, flags)
    assert said is None if lacking is None else said is not None and lacking in said


def test_this_processor_is_looked_at_without_a_failure() -> None:
    assert limitation() is None or "the same results" in str(limitation())
