"""A rich console for pipes and files."""

from __future__ import annotations

from typing import Any

from rich.console import Console


class PipedConsole(Console):
    """Strips trailing spaces, with which rich pads tables to their full width."""

    def print(self, *objects: Any, **options: Any) -> None:
        with self.capture() as captured:
            super().print(*objects, **options)
        self.file.write("\n".join(line.rstrip(" ") for line in captured.get().split("\n")))
