"""Async versions of blocking functions."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import wraps
from inspect import getdoc
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def in_thread(method: Callable[P, T]) -> Callable[P, Coroutine[None, None, T]]:
    """Return an async version of a function that runs it in a thread."""

    @wraps(method)
    async def run_in_thread(*args: P.args, **options: P.kwargs) -> T:
        from asyncio import to_thread  # slow to import, and many programs never await

        return await to_thread(method, *args, **options)

    about = f"Async `{method.__name__}`: runs in a thread, without blocking the event loop."
    run_in_thread.__doc__ = f"{about}\n\n{getdoc(method)}"
    return run_in_thread
