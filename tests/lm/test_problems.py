"""What a trace says went wrong with a model, whatever a provider wraps it in."""

from __future__ import annotations

import pytest

from multihop.lm.meter import problem_of


class TransportError(Exception):
    pass


class BadRequestError(Exception):
    pass


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (TransportError("no bytes for 60s"), "it could not be reached"),
        (caused(TransportError("no bytes for 60s"), TimeoutError()), "it did not answer in time"),
        (BadRequestError("unknown model"), "it refused the request; is the name of the model right?"),
        (BadRequestError("request (3104 tokens) exceeds the available context size"), "the prompt is too long for it"),
        (caused(Exception("400"), BadRequestError("exceed_context_size_error")), "the prompt is too long for it"),
        (RuntimeError("whatever, sk-secret"), "it failed (RuntimeError)"),
    ],
)
def test_the_cause_is_named(error: Exception, said: str) -> None:
    assert problem_of(error) == said
