"""A Haystack pipeline with evidence: written to a YAML file, read again elsewhere, and run."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

# Haystack reports the runs of pipelines unless it is told not to, before it is imported.
os.environ.setdefault("HAYSTACK_TELEMETRY_ENABLED", "false")

from haystack import Pipeline
from haystack.components.builders import PromptBuilder

from multihop import Engine
from multihop.adapters.haystack import MultihopRetriever
from multihop.testing import sample_documents

TEMPLATE = """
{%- for d in documents %}
[{{ d.meta.rank }}] {{ d.meta.title }} ({{ d.meta.reason }})
{{ d.content }}
{% endfor %}
Question: {{ question }}"""


def build(index: Path) -> Pipeline:
    """Retriever and prompt; connect "prompt.prompt" to a generator of yours to go on."""
    pipeline = Pipeline()
    pipeline.add_component("retriever", MultihopRetriever(index, k=3))
    pipeline.add_component("prompt", PromptBuilder(TEMPLATE, required_variables=["documents", "question"]))
    pipeline.connect("retriever.documents", "prompt.documents")
    return pipeline


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        index, written = Path(folder, "sample.mh"), Path(folder, "pipeline.yaml")
        with Engine.open(index, create=True) as engine:
            engine.add(sample_documents())
        written.write_text(build(index).dumps())
        pipeline = Pipeline.loads(written.read_text(), allowed_modules=["multihop"])
        question = "Who drew the ship that Amundsen borrowed?"
        said = pipeline.run({"retriever": {"query": question}, "prompt": {"question": question}})
        print(said["prompt"]["prompt"])
        retriever = pipeline.get_component("retriever")
        assert isinstance(retriever, MultihopRetriever)
        retriever.close()


if __name__ == "__main__":
    main()
