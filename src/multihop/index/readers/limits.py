"""What reading one file may cost; a file that would cost more is a problem to report, not a reason to stop."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 2**20


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """Bounds on a file that is read in a process of its own."""

    seconds: float = 60.0
    """Time to wait for the reader, counted only while it is waited for."""
    seconds_per_mib: float = 2.0
    """Additional time for each MiB of the file: long files may take longer."""
    memory: int = 1024 * MIB
    """Bytes of memory of the process, where the system can limit it (not on Windows)."""
    characters: int = 16 * MIB
    """Characters of one document."""
    problems: int = 10_000
    """Unreadable records after which the rest of a file is not read."""

    def time_for(self, bytes: int) -> float:
        """Return the seconds that a file of this size may take."""
        return self.seconds + self.seconds_per_mib * bytes / MIB
