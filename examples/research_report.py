"""A research agent: it looks until the aspects of a question are covered, logs every hop, and writes a report.

Any retriever will do: an engine, or a function such as `search` below. With `llm_client="openai/gpt-4.1-mini"` (or a
`dspy.LM`) a language model names the aspects and writes the statements, each of which must stand on what it cites.
"""

import logging
import tempfile
from typing import Any

from multihop import Engine, ResearchAgent
from multihop.testing import sample_documents

QUESTION = "How did the Difference Engine differ from the Analytical Engine?"


def main() -> None:
    # The agent tells every hop to this logger, as soon as it is over.
    logging.basicConfig(format="%(message)s")
    logging.getLogger("multihop.research").setLevel(logging.INFO)
    with tempfile.TemporaryDirectory() as folder, Engine.open(f"{folder}/sample.mh", create=True) as engine:
        engine.add(sample_documents())
        print(ResearchAgent(engine, k=5).process(QUESTION).report.to_markdown())

        def search(query: str, k: int) -> list[dict[str, Any]]:
            """A retriever of your own: documents with a content, a title and a score between 0 and 1."""
            found = engine.retrieve(query, k=k, strategy="bm25")
            best = max((e.score for e in found), default=1.0)
            return [{"title": e.passage.title, "content": e.passage.text, "score": e.score / best} for e in found]

        result = ResearchAgent(search, k=5, max_hops=4).process("What is penicillin and what are its health risks?")
        print("not covered:", ", ".join(result.report.not_covered) or "nothing")


if __name__ == "__main__":
    main()
