"""What multihop registers itself: the groups of its entry points, with the names in each and where they are defined.

The one place where a built-in is declared. `hatch_build.py` writes it into the metadata of the package as entry points,
so this module imports nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

BUILT_IN: Mapping[str, Mapping[str, str]] = {
    "multihop.stores": {
        "postgresql": "multihop.index.stores.open_store:POSTGRES",
        "postgres": "multihop.index.stores.open_store:POSTGRES",
    },
    "multihop.embedders": {
        "encoder": "multihop.index.embedders:open_encoder",
        "wordllama": "multihop.index.embedders:open_wordllama",
        "fastembed": "multihop.index.embedders:open_fastembed",
        "sentence-transformers": "multihop.index.embedders:open_sentence_transformers",
        "openai": "multihop.index.embedders:open_openai",
    },
    "multihop.rerankers": {
        "built-in": "multihop.parts.rerankers:open_built_in",
    },
    "multihop.readers": {
        "beir": "multihop.index.readers.jsonl:BEIR",
        "csv": "multihop.index.readers.csv:CSV",
        "docx": "multihop.index.readers.docx:DOCX",
        "eml": "multihop.index.readers.eml:EML",
        "epub": "multihop.index.readers.epub:EPUB",
        "html": "multihop.index.readers.html:HTML",
        "json": "multihop.index.readers.json:JSON",
        "jsonl": "multihop.index.readers.jsonl:JSONL",
        "markdown": "multihop.index.readers.markdown:MARKDOWN",
        "mhtml": "multihop.index.readers.eml:MHTML",
        "odt": "multihop.index.readers.odt:ODT",
        "pdf": "multihop.index.readers.pdf:PDF",
        "pptx": "multihop.index.readers.pptx:PPTX",
        "rst": "multihop.index.readers.rst:RST",
        "tsv": "multihop.index.readers.csv:TSV",
        "txt": "multihop.index.readers.plain:TXT",
        "xlsx": "multihop.index.readers.xlsx:XLSX",
    },
    "multihop.datasets": {
        "hover": "multihop.evaluation.datasets.catalog:HOVER",
        "exfever": "multihop.evaluation.datasets.catalog:EXFEVER",
        "hotpotqa": "multihop.evaluation.datasets.catalog:HOTPOTQA",
        "hotpotqa-fullwiki": "multihop.evaluation.datasets.catalog:HOTPOTQA_FULLWIKI",
        "2wiki": "multihop.evaluation.datasets.catalog:TWO_WIKI",
        "musique": "multihop.evaluation.datasets.catalog:MUSIQUE",
        "musique-full": "multihop.evaluation.datasets.catalog:MUSIQUE_FULL",
        "fever": "multihop.evaluation.datasets.catalog:FEVER",
        "bright": "multihop.evaluation.datasets.catalog:BRIGHT",
        "multihop-rag": "multihop.evaluation.datasets.catalog:MULTIHOP_RAG",
        "frames": "multihop.evaluation.datasets.catalog:FRAMES",
        "fanoutqa": "multihop.evaluation.datasets.catalog:FANOUTQA",
        "locomo": "multihop.evaluation.datasets.catalog:LOCOMO",
        "longmemeval": "multihop.evaluation.datasets.catalog:LONGMEMEVAL",
        "hipporag-hotpotqa": "multihop.evaluation.datasets.catalog:HIPPORAG_HOTPOTQA",
        "hipporag-2wiki": "multihop.evaluation.datasets.catalog:HIPPORAG_2WIKI",
        "hipporag-musique": "multihop.evaluation.datasets.catalog:HIPPORAG_MUSIQUE",
        "beir-hotpotqa": "multihop.evaluation.datasets.catalog:BEIR_HOTPOTQA",
    },
    "multihop.strategies": {
        "auto": "multihop.strategies:AUTO",
        "auto-fast": "multihop.strategies:AUTO_FAST",
        "replace": "multihop.strategies:REPLACE",
        "aspects": "multihop.strategies:ASPECTS",
        "gap": "multihop.strategies:GAP",
        "listwise": "multihop.strategies:LISTWISE",
        "graph": "multihop.strategies:GRAPH",
        "hybrid": "multihop.strategies:HYBRID",
        "bm25": "multihop.strategies:BM25",
        "dense": "multihop.strategies:DENSE",
        "hybrid-rrf": "multihop.strategies:HYBRID_RRF",
        "gap-documented": "multihop.strategies:GAP_DOCUMENTED",
        "listwise-documented": "multihop.strategies:LISTWISE_DOCUMENTED",
    },
}
