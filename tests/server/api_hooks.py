"""What schemathesis cannot know of this API: the names that exist, and what no description can promise.

It is loaded by schemathesis' own command line, which runs in a process of its own; see test_description.py.
"""

from __future__ import annotations

import re
from typing import Any

import schemathesis
from schemathesis.specs.openapi.checks import positive_data_acceptance

_DEPENDS_ON_WHAT_IS_THERE = re.compile(
    "no document has the|two documents of one call|the name of the .* is empty|holds (?:numbers|texts|booleans)"
    "|there is no (?:strategy|profile|index|folder|job)|unknown (?:strategy|format)|needs vectors"
    "|(?:needs a|has no) language model|cannot be sorted by"
    "|has a document .* already|the profile .* has no question|files such as .* cannot be read|passages? .* not found"
    "|has no pages|is beyond its end|nothing is remembered|memory .* not found"
    "|is not a regular expression|takes too long on a passage|; got page"
    "|the messages have no text of the user|min_hops must not be more than max_hops"
)
"""Refusals of requests that are as described: they name something that this index or server does not have, or two of
their numbers contradict each other."""


@schemathesis.hook
def map_path_parameters(_: Any, path_parameters: dict[str, Any] | None) -> dict[str, Any] | None:
    """Ask an index that exists: what is made up seldom is the name of one."""
    if path_parameters and "index" in path_parameters and len(str(path_parameters["index"])) % 4:
        return {**path_parameters, "index": "sample"}
    return path_parameters


@schemathesis.check
def valid_requests_are_accepted(ctx: Any, response: Any, case: Any) -> bool | None:
    """The check of that name, but for what depends on the documents, profiles and models that are there."""
    if _DEPENDS_ON_WHAT_IS_THERE.search(response.text or ""):
        return None
    return bool(positive_data_acceptance(ctx, response, case))
