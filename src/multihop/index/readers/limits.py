"""What reading one file may cost; a file that would cost more is a problem to report, not a reason to stop."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass

MIB = 2**20


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """Bounds on a file that is read in a process of its own."""

    seconds: float = 60.0
    """Time to wait for the reader, counted only while it is waited for."""
    seconds_per_mib: float = 2.0
    """Additional time for each MiB of the file: long files may take longer."""
    ocr_seconds: float = 900.0
    """Additional time for a PDF file, where scanned pages can be recognized."""
    ocr_memory: int = 3072 * MIB
    """Additional memory for it."""
    memory: int = 1024 * MIB
    """Bytes of memory of the process, where the system can limit it (not on Windows)."""
    characters: int = 16 * MIB
    """Characters of one document."""
    problems: int = 10_000
    """Unreadable records after which the rest of a file is not read."""

    def time_for(self, bytes: int) -> float:
        """Return the seconds that a file of this size may take."""
        return self.seconds + self.seconds_per_mib * bytes / MIB


def limit_process(memory: int, seconds: float) -> None:
    """Limit memory and CPU time of this process, from now on, by the operating system."""
    try:
        import resource
    except ImportError:  # Windows has no such limits
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    # The limit of the system counts from the start of the process, which may have worked before.
    cpu = math.ceil(used.ru_utime + used.ru_stime + seconds) + 1
    with suppress(OSError, ValueError):  # lower limits may be set already
        resource.setrlimit(resource.RLIMIT_AS, (memory, resource.getrlimit(resource.RLIMIT_AS)[1]))
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CPU, (cpu, resource.getrlimit(resource.RLIMIT_CPU)[1]))
