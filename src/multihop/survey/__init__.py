"""Surveys: the questions of a domain profile, asked of every group of documents (every country, say)."""

from multihop.survey.answers import (
    Chunk as Chunk,
    GroupAnswers as GroupAnswers,
    Survey as Survey,
    SurveyAnswer as SurveyAnswer,
)
from multihop.survey.functions import (
    embed_prompt as embed_prompt,
    evaluate_chunks as evaluate_chunks,
    retrieve_chunks as retrieve_chunks,
    retrieve_chunks_with_hop as retrieve_chunks_with_hop,
    run_script as run_script,
)
from multihop.survey.logs import log_to as log_to
from multihop.survey.run import survey as survey
