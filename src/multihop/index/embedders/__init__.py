"""Embedders: texts to unit vectors. All are optional, and none loads its library before it is used."""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Callable, Mapping

from multihop.errors import InvalidInput, MissingExtra, UnknownName, suggestion
from multihop.index.embedders.encoder import VERSION, EncoderEmbedder
from multihop.index.embedders.fastembed import FastEmbedEmbedder
from multihop.index.embedders.openai_compatible import OpenAICompatibleEmbedder
from multihop.index.embedders.sentence_transformers import SentenceTransformersEmbedder
from multihop.index.embedders.wordllama import CONFIG, WordLlamaEmbedder
from multihop.protocols import Embedder
from multihop.registry import Registry

__all__ = [
    "EncoderEmbedder",
    "FastEmbedEmbedder",
    "OpenAICompatibleEmbedder",
    "SentenceTransformersEmbedder",
    "WordLlamaEmbedder",
    "open_embedder",
]

_EXAMPLES = {
    "encoder": "encoder",
    "wordllama": "wordllama or wordllama:128",
    "fastembed": "fastembed:BAAI/bge-small-en-v1.5",
    "sentence-transformers": "sentence-transformers:all-MiniLM-L6-v2",
    "openai": "openai:MODEL@http://localhost:8080/v1",
}
EMBEDDERS: Mapping[str, Callable[[str], Embedder]] = Registry("multihop.embedders", Callable)
"""Functions that make an embedder, by its kind, from the rest of its spec: the text after the first colon."""


def open_embedder(spec: str) -> Embedder:
    """Make the embedder that a string on the command line or in a settings file names.

    Specs are "encoder", "wordllama", "wordllama:128", "fastembed:MODEL", "sentence-transformers:MODEL" and
    "openai:MODEL@URL", the last with the API key in OPENAI_API_KEY where the endpoint wants one. Raise at once when the
    kind is unknown or its extra is not installed; models are loaded when they are first used.
    """
    kind, _, rest = spec.strip().partition(":")
    if kind not in EMBEDDERS:
        raise UnknownName(f"unknown embedder {kind!r}; {suggestion(kind, EMBEDDERS)}")
    return EMBEDDERS[kind](rest)


def open_encoder(rest: str) -> Embedder:
    if rest not in ("", VERSION):
        raise _malformed_spec("encoder", rest, f"names a version that this package does not have (it has {VERSION})")
    return EncoderEmbedder()


def open_wordllama(rest: str) -> Embedder:
    _require("wordllama")
    # The identity that an index records names the set of vectors as well, and is opened again by it.
    dimension = rest.removeprefix(f"{CONFIG}:")
    if not dimension:
        return WordLlamaEmbedder()
    if not re.fullmatch("[0-9]{1,6}", dimension):
        raise _malformed_spec("wordllama", rest, "names no dimension")
    return WordLlamaEmbedder(int(dimension))


def open_fastembed(rest: str) -> Embedder:
    _require("fastembed")
    return FastEmbedEmbedder(_model("fastembed", rest))


def open_sentence_transformers(rest: str) -> Embedder:
    _require("sentence-transformers")
    return SentenceTransformersEmbedder(_model("sentence-transformers", rest))


def open_openai(rest: str) -> Embedder:
    # The names of models may hold an "@" of their own.
    match = re.fullmatch("(.+)@(https?://.+)", _model("openai", rest))
    if match is None:
        raise _malformed_spec("openai", rest, "does not name a model and an address")
    key = os.environ.get("OPENAI_API_KEY", "").strip() or None
    return OpenAICompatibleEmbedder(base_url=match[2], model=match[1], api_key=key)


def _require(kind: str) -> None:
    # Looked for and not imported: some of these libraries take seconds to load.
    if importlib.util.find_spec(kind.replace("-", "_")) is None:
        raise MissingExtra(f"The {kind} embedder", kind)


def _model(kind: str, rest: str) -> str:
    if not rest:
        raise _malformed_spec(kind, rest, "names no model")
    return rest


def _malformed_spec(kind: str, rest: str, problem: str) -> InvalidInput:
    spec = f"{kind}:{rest}" if rest else kind
    return InvalidInput(f"The embedder {spec!r} {problem}; expected: {_EXAMPLES[kind]}")
