"""Errors as HTTP responses: a status and one sentence that reveals nothing about server internals."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

from multihop.errors import (
    EmbedderMismatch,
    EmbeddingError,
    IndexBehind,
    IndexLocked,
    IndexReadOnly,
    InvalidInput,
    InvalidRecord,
    MissingExtra,
    MultihopError,
    StoreError,
)
from multihop.rendering.phrases import shorten

log = logging.getLogger("multihop.server")

# As in nginx: nobody reads this response, but it is counted.
CLIENT_LEFT = 499
RETRY = {"Retry-After": "1"}
UNKNOWN_FIELD = "unknown_field"
"""Type of the validation error for a field that a body does not have."""
_MAX_MESSAGE = 500
_NOT_ALLOWED = 405
_LISTED = "the operations are listed at /docs"
FRAMEWORK_MESSAGES = {
    400: "the body could not be read",
    405: f"this cannot be done here; {_LISTED}",
}
"""Our messages for errors raised by the framework."""
_RETRYABLE = (502, 503)
# Subclasses before their base classes.
_MESSAGES: dict[type[Exception], tuple[int, str]] = {
    IndexLocked: (503, "the index is being written by another process; try again later"),
    IndexBehind: (507, "the change is stored, but there is no room to search it yet; do not send it again"),
    IndexReadOnly: (409, "the index cannot be written to; nothing was changed"),
    EmbedderMismatch: (409, "the index holds vectors and is served without its embedder, so nothing can be added"),
    EmbeddingError: (502, "the embedder of this index failed; try again, or use a strategy without vectors"),
    StoreError: (500, "the index cannot be read; see the log of the server"),
    MultihopError: (500, "the request failed; see the log of the server"),
    Exception: (500, "internal server error; see the log of the server"),
}
"""Messages for errors whose own text belongs in the log only; the first matching class is used."""


class Problem(HTTPException):
    """An error response with a status and one sentence for the client."""

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(status, message, dict(headers) if headers else None)


def not_found(path: str) -> Problem:
    return Problem(404, f"{path[:80]!r} not found; {_LISTED}")


def install_hint(extra: str) -> str:
    """Return how the operator installs an extra; the exact command would reveal a path of the server."""
    return f'pip install "multihop[{extra}]"'


def problem_of(error: Exception) -> Problem:
    """Convert an error to what the client may see; store errors contain paths, so they go to the log only."""
    match error:
        case Problem():
            return error
        case HTTPException():
            return Problem(error.status_code, _framework_message(error), error.headers)
        # The full message would reveal the path on the server.
        case InvalidRecord():
            return Problem(422, error.problem)
        case InvalidInput():
            return Problem(422, str(error))
    log.warning("%s: %s", type(error).__name__, error)
    if isinstance(error, MissingExtra):
        return Problem(501, f"this server lacks an optional dependency: {install_hint(error.extra)}")
    status, said = next(message for kind, message in _MESSAGES.items() if isinstance(error, kind))
    return Problem(status, said, RETRY if status in _RETRYABLE else None)


def _framework_message(error: HTTPException) -> str:
    # FastAPI reports all of these as an error parsing the body.
    match error.__cause__:
        case UnicodeDecodeError():
            return "the body is not valid UTF-8"
        case RecursionError():
            return "the body is nested too deeply"
    return FRAMEWORK_MESSAGES.get(error.status_code, str(error.detail))


def body_of(problem: Problem) -> dict[str, Any]:
    """Return the response body of a problem."""
    # A message may quote the request, including lone surrogates, which UTF-8 cannot encode.
    message = shorten(" ".join(str(problem.detail).split()), _MAX_MESSAGE)
    return {"error": {"status": problem.status_code, "message": message.encode("utf-8", "replace").decode()}}


def response_of(problem: Problem) -> Response:
    headers = dict(problem.headers or {})
    return Response(json.dumps(body_of(problem)), problem.status_code, headers, "application/json")


def documented_methods(request: Request) -> list[str]:
    """Return the methods that the API documents for the path of a request."""
    # Not from the OpenAPI description, which takes half a second to generate.
    documented = [route for route in request.app.routes if isinstance(route, APIRoute) and route.include_in_schema]
    return sorted(
        {method for route in documented if route.path_regex.match(request.url.path) for method in route.methods or ()}
    )


def install_handlers(app: FastAPI) -> None:
    """Install handlers that convert every error to a response of the same form."""

    async def handle_refusal(request: Request, error: Exception) -> Response:
        problem = problem_of(error)
        if problem.status_code == _NOT_ALLOWED:
            # The framework lists only the methods of the first matching route, which may be that of the page.
            path, allowed = request.url.path, documented_methods(request)
            if allowed:
                message = f"{request.method} is not allowed here, only {' and '.join(allowed)}; {_LISTED}"
                problem = Problem(_NOT_ALLOWED, message, {"Allow": ", ".join(allowed)})
            elif path.startswith("/v1/"):
                problem = not_found(path)
        return response_of(problem)

    async def handle_unexpected(_: Request, __: Exception) -> Response:
        # The framework re-raises the error, so the traceback is in the log.
        return response_of(Problem(*_MESSAGES[Exception]))

    async def handle_invalid(_: Request, error: Exception) -> Response:
        return response_of(Problem(422, _sentence(error)))

    app.add_exception_handler(HTTPException, handle_refusal)
    app.add_exception_handler(MultihopError, handle_refusal)
    app.add_exception_handler(RequestValidationError, handle_invalid)
    app.add_exception_handler(Exception, handle_unexpected)


def _sentence(error: Exception) -> str:
    """Describe the first validation error without quoting the request."""
    first = error.errors()[0] if isinstance(error, RequestValidationError) else {"loc": (), "msg": "invalid"}
    if first.get("type") == "json_invalid":
        return f"the body is not valid JSON at character {first['loc'][-1]}"
    # Without the location (body, query) and without pydantic's validator steps.
    path = [str(part) for part in first["loc"][1:] if not str(part).startswith(("function-", "literal["))]
    if first.get("type") == UNKNOWN_FIELD:
        return ": ".join(filter(None, [".".join(path)[:80], str(first["msg"])]))
    if not path:
        return "the body is not as described in /docs; send a JSON object with the content type application/json"
    if path[0] == "where":
        return _filter(path[1:])
    if "metadata" in path[:-1]:
        # Pydantic's message would be about the first type that a value may have.
        field = ".".join(path[: path.index("metadata") + 2])
        return f"{field[:80]}: give a string, a number, true or false, or a list of them"
    if path[-1] == "as_of" and first["type"] == "string_pattern_mismatch":
        return f"{'.'.join(path)[:80]}: give a day such as 2024-05-03, a month such as 2024-05, a year, today or any"
    message = str(first["msg"]).replace(" after validation", "")
    return f"{'.'.join(path)[:80]}: {message[:1].lower()}{message[1:]}"


def _filter(path: list[str]) -> str:
    """Describe an invalid condition; pydantic's message about one of its alternatives would mislead."""
    if not path:
        return 'where: give an object of conditions, such as {"country": "Norway"}'
    operators = "gt, gte, lt, lte, not, contains or exists"
    return f"where.{path[0][:80]}: give a value, a list of values, or bounds: an object with {operators}"
