"""The four signals of the strategy `hybrid`, each over all passages at once."""

from multihop.profiles.signals.scoring import Embedded, Scores, SignalQuestion, embed, evaluate, parse_question, warm

__all__ = ["Embedded", "Scores", "SignalQuestion", "embed", "evaluate", "parse_question", "warm"]
