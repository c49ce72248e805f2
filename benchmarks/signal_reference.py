"""The four signals by their definitions: one passage at a time, in plain Python. What the fast way must equal."""

from __future__ import annotations

import math

from rapidfuzz import fuzz

from multihop import text
from multihop.profiles.regexes import compile_pattern
from multihop.profiles.signals import embed, parse_question, word2vec as words
from multihop.profiles.signals.corpus import content_words, text_of, words_of
from multihop.profiles.signals.fuzzy import Sought
from multihop.profiles.signals.patterns import ENOUGH_WORDS, weighted_stems
from multihop.profiles.values import KeywordGroup, Profile, Scoring
from multihop.protocols import Context, require
from multihop.types import Passage


def reference_scores(passage: Passage, question: str, profile: Profile | None, context: Context) -> dict[str, float]:
    """Score one passage."""
    scoring = profile.scoring if profile else Scoring()
    what, embedded = parse_question(question, profile), embed(question, context)
    tokens = words_of(passage)
    scores: dict[str, float] = {}
    if embedded.transformer is not None:
        [row] = require(context.index.dense, "vectors").vectors([passage.id])
        scores["transformer"] = _cosine(row.tolist(), embedded.transformer.tolist())
    if embedded.word2vec is not None:
        cache = require(context.index.cache, "a cache")
        model = cache.get_or_make("reference.model", lambda: words.load(cache))
        rows = model.embed_passages([passage]).tolist() if model else [[]]
        scores["word2vec"] = _cosine(rows[0], embedded.word2vec.tolist())
    if what.groups or what.patterns:
        matched = [p.weight * bool(compile_pattern(p.regex).search(text_of(passage))) for p in what.patterns]
        scores["patterns"] = _any(matched + [group.weight * _topic(tokens, group) for group in what.groups])
    else:
        scores["patterns"] = _share(tokens, question)
    if what.phrases:
        scores["fuzzy"] = _any([p.boost * _phrase(tokens, p, scoring.fuzzy_threshold) for p in what.phrases])
    weights = {name: w for name, w in scoring.weights.items() if name in scores}
    return scores | {"combined": sum(w * scores[n] for n, w in weights.items()) / sum(weights.values())}


def _cosine(a: list[float], b: list[float]) -> float:
    # Vectors have length 1; what points the other way counts as unlike, not as less than unlike.
    return min(1.0, max(0.0, math.fsum(x * y for x, y in zip(a, b, strict=True))))


def _any(chances: list[float]) -> float:
    # Each is taken for independent of the others, so that many weak matches never exceed 1.
    return 1 - math.prod(1 - chance for chance in chances)


def _topic(tokens: list[str], group: KeywordGroup) -> float:
    haystack = [text.singular(t) for t in tokens]
    wanted = {tuple(text.singular(w) for w in content_words(k)) for k in group.words} - {()}
    shown = sum(text.contains(haystack, w) for w in wanted)
    return min(1.0, shown / min(ENOUGH_WORDS, len(wanted)))


def _share(tokens: list[str], question: str) -> float:
    weights, own = weighted_stems(question), set(text.stems(tokens))
    return sum(w for stem, w in weights.items() if stem in own) / sum(weights.values()) if weights else 0.0


def _phrase(tokens: list[str], phrase: Sought, threshold: float) -> float:
    size, best = len(phrase.words), 0.0
    for start in range(len(tokens) - size + 1):
        same = [_word(p, t, threshold) for p, t in zip(phrase.words, tokens[start : start + size], strict=True)]
        if sum(same) >= threshold * size:
            best = max(best, sum(same) / size)
    return best


def _word(wanted: str, token: str, threshold: float) -> float:
    if wanted == "{number}":
        return float(token.isdigit())
    if wanted == "{year}":
        return float(token.isdigit() and len(token) == 4 and token[:2] in ("19", "20"))
    same = fuzz.ratio(wanted, token) / 100
    return same if same >= threshold else 0.0
