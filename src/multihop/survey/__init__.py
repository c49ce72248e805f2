"""Surveys: the questions of a domain profile, asked of every group of documents (every country, say)."""

from multihop._moved import renamed
from multihop.survey.answers import Chunk, GroupAnswers, Survey, SurveyAnswer
from multihop.survey.functions import (
    embed_prompt,
    evaluate_chunks,
    retrieve_chunks,
    retrieve_chunks_with_hop,
    run_script,
)
from multihop.survey.logs import log_to
from multihop.survey.run import survey

__all__ = [
    "Chunk",
    "GroupAnswers",
    "Survey",
    "SurveyAnswer",
    "embed_prompt",
    "evaluate_chunks",
    "log_to",
    "retrieve_chunks",
    "retrieve_chunks_with_hop",
    "run_script",
    "survey",
]

__getattr__ = renamed(__name__, {"Answer": "SurveyAnswer"})
