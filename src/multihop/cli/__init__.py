"""The command line: one file per command; each parses its options, calls the engine and prints."""

from __future__ import annotations

import sys
from typing import NoReturn

__all__ = ["main"]


def main() -> NoReturn:
    """Run the command line with the arguments of this process."""
    try:
        from multihop.cli.program import main as run
    except KeyboardInterrupt:
        # Ctrl-C while the commands are being loaded.
        sys.stderr.write("error: interrupted\n")
        sys.exit(130)
    run()
