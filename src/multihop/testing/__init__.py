"""What others need to test their own parts: contract suites and a small corpus with questions. Shipped on purpose."""

from multihop.testing.sample import SampleQuestion, sample_documents, sample_questions, write_hover_sample

__all__ = ["SampleQuestion", "sample_documents", "sample_questions", "write_hover_sample"]
