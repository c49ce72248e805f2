"""Feedback: ratings of passages are stored on request only, and exported as qrels."""

from __future__ import annotations

import json

from starlette.testclient import TestClient

from .conftest import Serve

PLACE = "/v1/indexes/sample/feedback"
QUESTION = "Who designed the Fram?"


def _rate(client: TestClient, *passages: str, rating: str = "right") -> int:
    return client.post(PLACE, json={"question": QUESTION, "passages": passages, "rating": rating}).status_code


def test_a_server_stores_no_feedback_unless_told_to(client: TestClient) -> None:
    assert client.get("/v1/views").json()["feedback"] is False
    assert _rate(client, "fram-ship#0") == 404
    assert "--feedback" in client.get(PLACE).json()["error"]["message"]


def test_ratings_become_qrels_and_the_latest_of_a_passage_counts(serve: Serve) -> None:
    client = serve(feedback=True)
    assert client.get(PLACE).text == ""
    assert _rate(client, "fram-ship#0", "colin-archer#0") == 200
    assert _rate(client, "ada-lovelace#0") == 200
    assert _rate(client, "ada-lovelace#0", rating="wrong") == 200
    rows = [json.loads(line) for line in client.get(PLACE).text.splitlines()]
    assert rows == [{"question": QUESTION, "gold": ["fram-ship#0", "colin-archer#0"]}]
    # It outlives the process, and a deleted passage is no longer gold.
    again = serve(feedback=True)
    assert again.delete("/v1/indexes/sample/documents/fram-ship").status_code == 200
    assert json.loads(again.get(PLACE).text)["gold"] == ["colin-archer#0"]


def test_a_question_without_right_passages_is_left_out(serve: Serve) -> None:
    client = serve(feedback=True)
    assert _rate(client, "ada-lovelace#0", rating="wrong") == 200
    assert client.get(PLACE).text == ""
    assert _rate(client, "nothing#0") == 404
    assert _rate(client, rating="wrong") == 422
