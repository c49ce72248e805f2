"""Surveys: the questions of a domain profile, asked of every group of documents (every country, say)."""

from multihop.survey.functions import (
    embed_prompt,
    evaluate_chunks,
    retrieve_chunks,
    retrieve_chunks_with_hop,
    run_script,
)
from multihop.survey.logs import log_to
from multihop.survey.running import survey
from multihop.survey.values import Answer, Chunk, GroupAnswers, Survey

__all__ = [
    "Answer",
    "Chunk",
    "GroupAnswers",
    "Survey",
    "embed_prompt",
    "evaluate_chunks",
    "log_to",
    "retrieve_chunks",
    "retrieve_chunks_with_hop",
    "run_script",
    "survey",
]
