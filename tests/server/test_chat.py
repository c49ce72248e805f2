"""The chat endpoint, asked by OpenAI's own client."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from .conftest import Listen

QUESTION = "When was Colin Archer born?"


@pytest.fixture
def chat(listen: Listen) -> Iterator[Any]:
    import openai  # takes seconds: processes that run other tests do without

    base = str(listen().base_url).rstrip("/")
    with openai.OpenAI(base_url=f"{base}/v1", api_key="none", max_retries=0) as client:
        yield client


def ask(chat: Any, *said: str, **options: Any) -> Any:
    roles = ("user", "assistant")
    messages = [{"role": roles[place % 2], "content": text} for place, text in enumerate(said)]
    return chat.chat.completions.create(model="sample", messages=messages, **options)


def test_an_answer_with_citations(chat: Any) -> None:
    found = ask(chat, QUESTION, temperature=0.2)
    content = found.choices[0].message.content
    assert content.startswith("1832 [1]\n")
    assert "[1] Colin Archer (colin-archer#0)" in content
    assert found.citations[0]["passage"] == "colin-archer#0"
    assert found.usage.total_tokens > 0
    assert [model.id for model in chat.models.list()] == ["sample"]


def test_earlier_messages_are_the_conversation(chat: Any) -> None:
    first = ask(chat, QUESTION).choices[0].message.content
    second = ask(chat, QUESTION, first, "And what did he build?")
    assert "Colin Archer" in str(second.citations)
    parts = [{"type": "text", "text": "And what did he build?"}]
    messages = [
        {"role": "system", "content": "Answer."},
        {"role": "user", "content": QUESTION},
        {"role": "assistant", "content": first},
        {"role": "user", "content": parts},
    ]
    again = chat.chat.completions.create(model="sample", messages=messages)
    assert again.choices[0].message.content == second.choices[0].message.content


def test_a_pronoun_means_a_person_whose_own_page_was_not_cited(chat: Any) -> None:
    asked = "Who drew the ship that Amundsen borrowed?"
    first = ask(chat, asked)
    assert [c["passage"] for c in first.citations] == ["fram-ship#0"]
    said = [asked, first.choices[0].message.content, "And when was he born?"]
    second = ask(chat, *said).choices[0].message.content
    assert second.startswith("1832 [1]\n")
    # The question before is asked again as it was understood.
    third = ask(chat, *said, second, "What about Alexander Fleming?")
    assert third.citations[0]["passage"] == "alexander-fleming#0"


def test_a_stream_of_the_same_answer(chat: Any) -> None:
    chunks = list(ask(chat, QUESTION, stream=True))
    content = "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
    assert content == ask(chat, QUESTION).choices[0].message.content
    assert chunks[-1].choices[0].finish_reason == "stop"
    assert chunks[-1].citations[0]["passage"] == "colin-archer#0"
    [*_, last] = ask(chat, QUESTION, stream=True, stream_options={"include_usage": True})
    assert (last.choices, last.usage) == ([], ask(chat, QUESTION).usage)


def test_what_is_not_answered_is_said(chat: Any) -> None:
    assert ask(chat, "xqzzyv wplk").choices[0].message.content == "Nothing in the documents answers this."


def test_mistakes(chat: Any) -> None:
    import openai

    with pytest.raises(openai.NotFoundError, match="there is no index 'sampel'"):
        chat.chat.completions.create(model="sampel", messages=[{"role": "user", "content": "x"}])
    with pytest.raises(openai.UnprocessableEntityError, match="no text of the user"):
        chat.chat.completions.create(model="sample", messages=[{"role": "system", "content": "x"}])
