"""The chain of a result as text: one line per passage, with the sentence that leads to it."""

from __future__ import annotations

from multihop.rendering.phrases import one_line, passage_name
from multihop.types import Chain, ChainLink, Passage, Result

_SENTENCE = 120


def chain_lines(result: Result, chain: Chain) -> list[str]:
    """Format a chain through the evidence of a result, starting at the question."""
    names = {e.passage.id: e.passage for e in result.evidence}
    return [_line(link, names) for link in chain.links]


def _line(link: ChainLink, passages: dict[str, Passage]) -> str:
    source = passage_name(passages[link.source]) if link.source else "question"
    target = passage_name(passages[link.target])
    if link.kind == "words":
        said = f"shares “{one_line(link.name, _SENTENCE)}”"
    elif link.kind == "mentioned by":
        said = f"is mentioned there: “{_shorten_sentence(link)}”"
    else:
        said = f"“{_shorten_sentence(link)}”"
    quoting = passages.get(link.quote.passage_id)
    page = quoting.page_at(link.quote.start) if quoting else None
    return f"{source} – {said}{f' (p. {page})' if page else ''} → {target}"


def _shorten_sentence(link: ChainLink) -> str:
    """Shorten the sentence, keeping the linking words visible."""
    sentence = one_line(link.quote.text)
    at = sentence.find(one_line(link.name))
    if len(sentence) <= _SENTENCE or at + len(link.name) < _SENTENCE:
        return one_line(sentence, _SENTENCE)
    # Cut at a word boundary, with half of the space before the name, to show its context.
    start = sentence.find(" ", max(0, at - _SENTENCE // 2)) + 1
    return f"…{one_line(sentence[start:], _SENTENCE)}"
