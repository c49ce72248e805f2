"""The command line: one file per command, which parses, calls the engine and prints."""

from multihop.cli.program import main

__all__ = ["main"]
