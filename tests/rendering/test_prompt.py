"""Evidence as context for a prompt, within a budget of tokens."""

from __future__ import annotations

from dataclasses import replace

import pytest

from multihop import Engine
from multihop.errors import InvalidInput
from multihop.rendering.prompt import write_prompt
from multihop.rendering.tokens import estimate_tokens

QUESTION = "Who drew the ship that Amundsen borrowed?"


def test_a_prompt_is_numbered_cited_and_in_chain_order(sample: Engine) -> None:
    result = sample.retrieve(QUESTION, k=5)
    written = write_prompt(result)
    blocks = written.split("\n\n")
    assert len(blocks) == 5
    titles = {e.passage.id: e.passage.citation for e in result}
    assert [b.splitlines()[0] for b in blocks[: len(result.chain.passages)]] == [
        f"[{number}] {titles[id]}" for number, id in enumerate(result.chain.passages, 1)
    ]
    assert all(e.passage.text in written for e in result)


def test_a_budget_is_kept_with_any_tokenizer(sample: Engine) -> None:
    result = sample.retrieve(QUESTION, k=21)
    for tokens in (50, 200, 500, 1000):
        assert estimate_tokens(write_prompt(result, tokens=tokens)) <= tokens
        assert len(write_prompt(result, tokens=tokens, count=len)) <= tokens + 2 * result.k
    chained = write_prompt(result, tokens=300)
    assert all(f"] {e.passage.title}" in chained for e in result if e.passage.id in result.chain.passages)


def test_a_repeated_text_comes_once(sample: Engine) -> None:
    result = sample.retrieve(QUESTION, k=3)
    first = result.evidence[0]
    copied = replace(first, passage=replace(first.passage, id="copy#0", document_id="copy"), rank=4)
    twice = replace(result, evidence=(*result.evidence, copied))
    assert write_prompt(twice).count(first.passage.text) == 1


def test_a_template_of_ones_own(sample: Engine) -> None:
    result = sample.retrieve(QUESTION, k=2)
    assert write_prompt(result, template="<{id}> {title}: {text}").startswith(f"<{result.chain.passages[0]}>")
    assert write_prompt(replace(result, evidence=()), 100) == ""
    for wrong in ("{url}", "{}", "{text"):
        with pytest.raises(InvalidInput, match=r"the template may use {number}, .* got '\{"):
            write_prompt(result, template=wrong)


def test_estimates_are_near_for_plain_english() -> None:
    assert estimate_tokens("The Fram is a round-hulled wooden schooner.") == 11
    assert estimate_tokens("") == 0
    assert estimate_tokens("弗拉姆号") >= 4
