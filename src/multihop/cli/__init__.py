"""The command line: one file per command; each parses its options, calls the engine and prints."""

from multihop.cli.program import main

__all__ = ["main"]
