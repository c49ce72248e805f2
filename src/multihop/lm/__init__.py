"""Language models: opening one, usage limits per question, and the prompts of the retrieval loop.

dspy is not imported before a model is opened.
"""

from multihop.lm.client import language_model
from multihop.lm.limits import Limits
from multihop.lm.providers import LmSpec, disable_price_list_download, model_of, open_lm
from multihop.lm.saved_prompts import Prompts, load_prompts
from multihop.lm.session import Model
from multihop.lm.steps import SHOWN, answers, document_lines

__all__ = [
    "SHOWN", "Limits", "LmSpec", "Model", "Prompts", "answers", "disable_price_list_download", "document_lines",
    "language_model", "load_prompts", "model_of", "open_lm",
]  # fmt: skip
