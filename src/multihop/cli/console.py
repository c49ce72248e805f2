"""A console for pipes and files."""

from __future__ import annotations

from typing import Any

from rich.console import Console


class PipedConsole(Console):
    """Ends each line where its text ends; rich would fill tables with spaces up to their width."""

    def print(self, *objects: Any, **options: Any) -> None:
        with self.capture() as captured:
            super().print(*objects, **options)
        self.file.write("\n".join(line.rstrip(" ") for line in captured.get().split("\n")))
