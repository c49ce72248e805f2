"""What `import multihop` gives, and what it leaves alone."""

from __future__ import annotations

import subprocess
import sys

import multihop

LOADED = "import sys; before = set(sys.modules); import {}; print(*sorted(set(sys.modules) - before))"
ROOMS = ("adapters.source", "cli.program", "engine", "index.embedders", "lm", "testing")
EXTRAS = {
    "dspy", "fastembed", "haystack", "langchain_core", "litellm", "llama_index", "mcp", "psycopg", "pydantic",
    "requests", "sentence_transformers", "torch", "wordllama",
}  # fmt: skip


def loaded_by(imports: str) -> list[str]:
    line = [sys.executable, "-c", LOADED.format(imports)]
    return subprocess.run(line, capture_output=True, text=True, check=True).stdout.split()


def test_dir_lists_what_is_public() -> None:
    assert dir(multihop) == sorted((*multihop.__all__, "__version__"))


def test_every_public_name_is_there() -> None:
    for name in dir(multihop):
        assert getattr(multihop, name) is not None


def test_importing_the_package_loads_values_and_errors_alone() -> None:
    """The heavier names are loaded on first use. Modules are counted here: a time would depend on the machine."""
    loaded = loaded_by("multihop")
    own = {name for name in loaded if name.partition(".")[0] == "multihop"}
    assert {name.split(".")[1] for name in own if "." in name} <= {"_lazy", "dates", "errors", "types"}
    assert {name.partition(".")[0] for name in loaded} - {"multihop"} <= set(sys.stdlib_module_names)
    # Each of these costs more than the package itself.
    assert {"asyncio", "http", "ssl", "sqlite3", "unittest", "xml"}.isdisjoint(loaded)


def test_nothing_loads_an_extra_before_it_is_used() -> None:
    assert EXTRAS.isdisjoint(loaded_by(", ".join(f"multihop.{room}" for room in ROOMS)))
