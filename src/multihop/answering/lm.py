"""Answers by a language model: one call over numbered sentences of the evidence, with every citation checked.

The model cites by number, so every citation is a sentence of a passage by construction. A statement is kept only if
its names, numbers and quotations occur in the sentences that it cites.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from multihop import text
from multihop.errors import ReadingError
from multihop.lm.cleaning import before_instructions
from multihop.parts.selectors.reading import sentences_of
from multihop.protocols import Asker, LanguageModel, Step, Verifier
from multihop.types import Answer, Note, Quote, Result, Statement

MOST = 60
"""Maximum number of sentences in the prompt, those of the chain first."""
_LONGEST = 1600
"""Maximum length of a passage when documents are split, so that no unit is truncated."""
# [2], [2, 5], [2; 5] and [2, [5]]: models cite several sentences in all these ways.
_CITED = re.compile(r"\[(\d+(?:\s*[,;]\s*\[?\d+\]?)*)\]")
_DIGITS = re.compile(r"\d+")
_NUMBER = re.compile(r"\d[\d,.]*\d|\d")
_QUOTED = re.compile(r"[\"“]([^\"”]{3,})[\"”]")
_UNKNOWN = re.compile(
    r"^\W*(?:unknown|not (?:stated|said|known|given|enough|mentioned|found|in the)|none|no answer|n/?a)\b", re.I
)
_FIELD = re.compile(r"\[\[ ## (\w+) ## \]\]")
# The beginning of the next marker is not part of the field.
_UNFINISHED_FIELD = re.compile(r"\[(?:\[[^\]]*)?\]?$")
# A string in a JSON list; the last one may be unfinished.
_ITEM = re.compile(r'"((?:[^"\\]|\\.)*\\?)(?:"|$)')
_JSON_FIELD = re.compile(r'"(answer|statements)"\s*:\s*')
_UNFINISHED_CITATION = re.compile(r"\s*\[[\d,;\s]*$")
_MOST_WORDS = 0.6
_ENTAILED = 0.2
_PLAIN = frozenset(("yes", "no"))
_NEGATIONS = frozenset(("not", "never", "no", "nobody", "none", "nothing", "neither", "nor", "cannot", "without"))
"""A negated statement needs a sentence with the same negation."""
UNSUPPORTED = "lm-unsupported"
"""Code of the note that the citations of a language model do not support its answer."""
ABSTAINED = Note("lm-abstained", {}, "the language model found no answer in the evidence")


class NumberedSentence(NamedTuple):
    """A numbered sentence in the prompt."""

    quote: Quote
    title: str


class Words(NamedTuple):
    """The output of a model so far, not yet checked."""

    text: str
    statements: tuple[str, ...]


OnWords = Callable[[Words], None]


def answer_by_model(
    extractive: Answer, lm: LanguageModel, on_words: OnWords | None = None, verifier: Verifier | None = None
) -> Answer:
    """Let a model answer from the evidence of an extractive answer; if it fails, that answer is returned with a note.

    `on_words` gets the output so far if the model can stream. A `verifier` checks that the cited sentences entail the
    statements.
    """
    offered = prompt_sentences(extractive)
    if not offered:
        return extractive
    session = lm.session()
    step = _step(extractive.question, offered)._replace(on_text=_on_new_words(on_words) if on_words else None)
    [said] = session.ask([step], len(extractive.result.trace.hops))
    trace = replace(extractive.result.trace, lm=lm.name, lm_calls=(*extractive.result.trace.lm_calls, *session.calls))
    extractive = replace(extractive, result=replace(extractive.result, trace=trace))
    if said.values is None:
        wording = f"the language model {lm.name} gave no answer: {said.problem}"
        return _add_note(extractive, Note("lm-failed", {"lm": lm.name, "problem": said.problem}, wording))
    answer = str(said.values["answer"] or "").strip()
    if _UNKNOWN.match(answer):
        if extractive.text:
            # Small models often abstain where a sentence does answer: on HotpotQA, one of them every other time.
            return _add_note(extractive, ABSTAINED)
        return replace(extractive, notes=(ABSTAINED,))
    checked = [_check_statement(str(s), offered, extractive.question) for s in said.values["statements"] or ()]
    statements, sure = _keep_entailed(checked, offered, verifier)
    cited = [q for s in statements for q in s.quotes]
    if not (cited and _is_answer_supported(answer, cited, offered, extractive.question)):
        # The answer may be right although the model cites nothing, or the wrong sentence.
        holding = _find_answer_sentence(answer, offered, extractive.question)
        if holding is None and not cited:
            wording = "the sentences that the language model cites support none of its statements"
            return _add_note(extractive, Note(UNSUPPORTED, {}, wording))
        if holding is None:
            wording = f"the language model answered {answer!r}, which the sentences it cites do not support"
            return _add_note(extractive, Note(UNSUPPORTED, {"answer": answer}, wording))
        statements = (*(s for s in statements if s.supported), Statement(answer, (holding,)))
        cited.append(holding)
    kept = sum(s.supported for s in statements)
    dropped = len(statements) - kept
    wording = f"{dropped} of {len(statements)} statements are not supported by the sentences they cite"
    data = {"unsupported": dropped, "statements": len(statements)}
    notes = (Note("statements-unsupported", data, wording),) if dropped else ()
    # Cited sentences first, otherwise in the same order.
    best = sorted(extractive.sentences, key=lambda s: s.quote not in cited)
    sure = round(min(sure, kept / len(statements)), 4)
    return replace(
        extractive, text=answer, confidence=sure, statements=statements, sentences=tuple(best), source="language model",
        notes=notes,
    )  # fmt: skip


def _on_new_words(on_words: OnWords) -> Callable[[str], None]:
    """Return a callback for the text of a model that calls `on_words` when the parsed words change."""
    last = Words("", ())

    def on_text(written: str) -> None:
        nonlocal last
        words = words_of(written)
        if words != last:
            last = words
            on_words(words)

    return on_text


def words_of(written: str) -> Words:
    """Parse unfinished output: the complete fields, and the beginning of the last."""
    if written.lstrip().startswith("{"):
        parts = _JSON_FIELD.split(written)
        fields = dict(zip(parts[1::2], parts[2::2], strict=True))
        fields["answer"] = "".join(_plain(item) for item in _ITEM.findall(fields.get("answer", ""))[:1])
    else:
        parts = _FIELD.split(_UNFINISHED_FIELD.sub("", written))
        fields = dict(zip(parts[1::2], parts[2::2], strict=True))
    statements = [_plain(item) for item in _ITEM.findall(fields.get("statements", ""))]
    return Words(fields.get("answer", "").strip(), tuple(s for s in statements if s))


def _plain(item: str) -> str:
    """Parse an item of a JSON list that may be truncated, without its citations."""
    # A truncated escape such as \u00e9 is dropped.
    for end in range(len(item), max(-1, len(item) - 7), -1):
        with suppress(ValueError):
            return _UNFINISHED_CITATION.sub("", _CITED.sub("", json.loads(f'"{item[:end]}"'))).strip()
    return ""


def cited_statements(
    session: Asker, asked: Sequence[tuple[str, Sequence[NumberedSentence]]], hop: int
) -> list[tuple[tuple[Statement, ...], str]]:
    """Ask a model several questions at once, each over its own sentences; returns checked statements or the problem."""
    steps = [_step(question, offered) for question, offered in asked]
    said = session.ask(steps, hop) if steps else []
    answers = []
    for (question, offered), answer in zip(asked, said, strict=True):
        statements = answer.values["statements"] if answer.values else ()
        answers.append((tuple(_check_statement(str(s), offered, question) for s in statements or ()), answer.problem))
    return answers


def _step(question: str, offered: Sequence[NumberedSentence]) -> Step:
    shown = [f"[{i}] {o.title}: {' '.join(o.quote.text.split())[:_LONGEST]}" for i, o in enumerate(offered, 1)]
    return Step("cited_answer", {"question": question, "sentences": shown})


def _add_note(answer: Answer, problem: Note) -> Answer:
    note = replace(problem, text=f"{problem.text}; this is the extractive answer")
    return replace(answer, notes=(*answer.notes, note))


def prompt_sentences(answer: Answer) -> list[NumberedSentence]:
    """Return the sentences of the evidence, passage by passage, the chain first."""
    return evidence_sentences(answer.result, answer.chain.passages)[:MOST]


def evidence_sentences(result: Result, first: Sequence[str] = ()) -> list[NumberedSentence]:
    """Split the evidence into sentences, the passages in `first` before the others.

    Sentences that give instructions to a language model are left out.
    """
    passages = {e.passage.id: e.passage for e in result.evidence}
    order = [*(id for id in first if id in passages), *(id for id in passages if id not in first)]
    said = {id: before_instructions(sentences_of(passages[id].text), lambda s: s.text) for id in order}
    return [NumberedSentence(s.quoted(id), passages[id].label) for id, sentences in said.items() for s in sentences]


def _check_statement(statement: str, offered: Sequence[NumberedSentence], question: str) -> Statement:
    numbers = [int(n) for group in _CITED.findall(statement) for n in _DIGITS.findall(group)]
    said = _CITED.sub("", statement).strip()
    cited = [offered[n - 1] for n in dict.fromkeys(numbers) if 1 <= n <= len(offered)]
    if not cited or not _is_supported(said, cited, question):
        # Small models cite the wrong sentence, or none, for statements that another sentence supports.
        cited = _find_support(said, offered, question)
    return Statement(said, tuple(o.quote for o in cited))


def _keep_entailed(
    statements: Sequence[Statement], offered: Sequence[NumberedSentence], verifier: Verifier | None
) -> tuple[tuple[Statement, ...], float]:
    """Drop citations that do not entail their statement; also returns the mean probability of the others."""
    titles = {o.quote: o.title for o in offered}
    checked, sure = [], []
    for statement in statements:
        if verifier is None or not statement.quotes:
            checked.append(statement)
            continue
        source = " ".join(f"{titles[q]}: {' '.join(q.text.split())}" for q in statement.quotes)
        try:
            [judgement] = verifier.verify(statement.text, [source])
        except ReadingError:
            checked.append(statement)
            continue
        # A small verifier misses some entailments, so the threshold is low.
        entailed = judgement.supported >= _ENTAILED
        checked.append(statement if entailed else Statement(statement.text))
        sure += [judgement.supported] if entailed else []
    return tuple(checked), sum(sure) / len(sure) if sure else 1.0


def _find_support(said: str, offered: Sequence[NumberedSentence], question: str) -> list[NumberedSentence]:
    """Find the sentence with most of the words, and all names and numbers, of a statement."""
    if not (_NUMBER.search(said) or text.capitalized_spans(said)):
        return []  # "He wrote operas." fits anybody
    words = set(text.terms(said))
    shared = [len(words.intersection(text.terms(f"{o.title} {o.quote.text}"))) for o in offered]
    best = max(range(len(offered)), key=shared.__getitem__)
    enough = shared[best] >= _MOST_WORDS * len(words) and _is_supported(said, offered[best : best + 1], question)
    return [offered[best]] if words and enough else []


def _find_answer_sentence(answer: str, offered: Sequence[NumberedSentence], question: str) -> Quote | None:
    """Find the sentence that contains the answer verbatim and shares most with the question."""
    wanted, asked = text.words(answer), set(text.terms(question))
    holding = [o for o in offered if wanted and text.contains(text.words(o.quote.text), wanted)]
    if not holding or answer.lower().strip(" .") in _PLAIN:
        return None
    return max(holding, key=lambda o: len(asked.intersection(text.terms(f"{o.title} {o.quote.text}")))).quote


def _is_answer_supported(
    answer: str, cited: Sequence[Quote], offered: Sequence[NumberedSentence], question: str
) -> bool:
    # "yes" and "no" occur in no passage; these answers rest on the statements.
    return answer.lower().strip(" .") in _PLAIN or _is_supported(
        answer, [o for o in offered if o.quote in cited], question
    )


def _is_supported(said: str, cited: Sequence[NumberedSentence], question: str) -> bool:
    """Return whether the cited sentences contain the names, numbers, negations and quotations of a statement."""
    source = " ".join(f"{o.title} {o.quote.text}" for o in cited)
    whole = text.words(source)
    names = {word for name, _, _ in text.capitalized_spans(said) for word in text.words(name)}
    numbers = {n for number in _NUMBER.findall(said) for n in text.words(number)}
    return (
        names - text.STOPWORDS <= {*whole, *text.words(question)}
        and _NEGATIONS.intersection(text.words(said)) <= set(whole)
        and numbers <= set(whole)
        and all(text.contains(whole, text.words(quoted)) for quoted in _QUOTED.findall(said))
        and not set(text.terms(said)).isdisjoint(text.terms(source))
    )
