"""Channels: the ways by which passages are found, each defined once.

A searcher of your own makes its own channel: `YEARS = Channel("years", "share of the years that a passage mentions")`.
"""

from __future__ import annotations

from typing import get_args

from multihop.types.corpus import RelationKind


class Channel(str):
    """A way by which passages are found. It is its name wherever a string will do: in hits, weights and traces."""

    meaning: str
    """What a score on it says. Selectors that weigh channels expect scores between 0 and about 1."""
    reason: str
    """How it is worded as the reason for a passage, with `{via}` for what led there; empty if it is never one."""
    arrow: str
    """The word at the arrow where a path along it is drawn; empty for a channel that is not drawn."""
    source: bool
    """True when `via` of its hits is the passage they were reached from."""
    counts_with: str
    """Another channel under which it is explained, where two are one reason."""

    def __new__(
        cls,
        name: str,
        meaning: str = "",
        *,
        reason: str | None = None,
        arrow: str = "",
        source: bool = False,
        counts_with: str = "",
    ) -> Channel:
        channel = super().__new__(cls, name)
        channel.meaning = meaning
        channel.reason = f"found by {name}" if reason is None else reason
        channel.arrow = arrow
        # An arrow is drawn from the passage that a hit was reached from.
        channel.source = source or bool(arrow)
        channel.counts_with = counts_with
        return channel

    @classmethod
    def of(cls, name: str) -> Channel:
        """Return the channel of a name: one of ours, or one of which only the name is known."""
        return name if isinstance(name, Channel) else _BY_NAME.get(name) or cls(name)

    def explain(self, via: str) -> str:
        """Describe how a passage was found by this channel."""
        return self.reason.replace("{via}", via)


BM25 = Channel("bm25", "BM25 of the passage and the query; unbounded", reason="shares words with the question")
PART = Channel("part", "BM25 for a part of the question, beside the best passage for that part", reason="")
NAME = Channel("name", "1 / the number of documents that share the name", reason="the question names “{via}”")
PART_NAME = Channel("part name", "as name, for a name inside a longer one", reason="")
COMMON_NAME = Channel("common name", "as name, for a name that the query writes in lower case", reason="")
LINK = Channel(
    "link", "weight of the passage that names it / meanings of the name", reason="linked from “{via}”", source=True
)
RARE_LINK = Channel(
    "rare link", "as link, times the rarity of the name", reason=LINK.reason, arrow="named", counts_with=LINK
)
FOLLOW_UP = Channel(
    "follow-up",
    "weight of a passage times the match with what it mentions, beside the best match",
    reason="speaks of what “{via}” mentions",
    arrow="mentions",
)
DENSE = Channel("dense", "cosine of the passage and the query", reason="near the question in meaning")
NEXT = Channel(
    "next",
    "cosine of the passage and the question read together with another passage",
    reason="near the question and “{via}” in meaning",
    arrow="leads to",
)
RRF = Channel("rrf", "Σ 1 / (constant + rank) over several rankings")
RETRIEVER = Channel("retriever", "what a retriever from elsewhere says, or 1 / its rank")
COMBINED = Channel("combined", "weighted mean of the signals")
TRANSFORMER = Channel("transformer", "cosine of the passage and the question")
WORD2VEC = Channel("word2vec", "cosine of the mean word vectors of passage and question")
PATTERNS = Channel("patterns", "how much of the patterns and keywords of the topic the passage shows")
FUZZY = Channel("fuzzy", "how nearly the passage says the phrases that are looked for")
SIGNALS = (TRANSFORMER, WORD2VEC, PATTERNS, FUZZY)
RELATIONS = tuple(
    Channel(
        kind,
        "weight of the other passage times confidence",
        reason=f"in the relation {kind} with “{{via}}”",
        arrow=kind,
    )
    for kind in get_args(RelationKind)
)
CHANNELS = (
    BM25, PART, NAME, PART_NAME, COMMON_NAME, LINK, RARE_LINK, FOLLOW_UP, DENSE, NEXT, RRF, RETRIEVER, COMBINED,
    *SIGNALS, *RELATIONS,
)  # fmt: skip
_BY_NAME = {str(channel): channel for channel in CHANNELS}
