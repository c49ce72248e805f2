"""What `import multihop` gives, and what it leaves alone."""

from __future__ import annotations

import subprocess
import sys

import multihop

LOADED = """
import sys
before = set(sys.modules)
import multihop
print(*sorted(set(sys.modules) - before))
"""


def test_dir_lists_what_is_public() -> None:
    assert dir(multihop) == sorted((*multihop.__all__, "__version__"))


def test_every_public_name_is_there() -> None:
    for name in dir(multihop):
        assert getattr(multihop, name) is not None


def test_importing_the_package_loads_values_and_errors_alone() -> None:
    """The heavier names are loaded on first use. Modules are counted here: a time would depend on the machine."""
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    own = {name for name in loaded if name.partition(".")[0] == "multihop"}
    assert {name.split(".")[1] for name in own if "." in name} <= {"_moved", "errors", "types"}
    assert {name.partition(".")[0] for name in loaded} - {"multihop"} <= set(sys.stdlib_module_names)
    # Each of these costs more than the package itself.
    assert {"asyncio", "http", "ssl", "sqlite3", "unittest", "xml"}.isdisjoint(loaded)
