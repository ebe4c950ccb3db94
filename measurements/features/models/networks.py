"""ONNX networks on one thread, whole or cut between two of their tensors."""

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Part = Callable[[NDArray[np.float32]], NDArray[np.float32]]


def session(model: Path | bytes) -> Any:
    """One session of one thread: processes are what is scaled. Safe to share between threads."""
    import onnxruntime  # noqa: PLC0415 - heavy: workers only

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    source = model if isinstance(model, bytes) else str(model)
    return onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])


@lru_cache(maxsize=16)
def whole(path: Path) -> Any:
    return session(path)


@lru_cache(maxsize=16)
def part(path: Path, start: str, end: str, time_padding: tuple[int, int] | None = None) -> Part:
    """The part of a network from tensor `start` to tensor `end`, with its weights.

    `time_padding` replaces the zeros that its two-dimensional convolutions put before and after the first axis.
    """
    import onnx  # noqa: PLC0415 - heavy: workers only

    network = onnx.load(str(path))
    nodes, weights = _between(network.graph, start, end)
    for node in nodes if time_padding else ():
        for attribute in node.attribute:
            if attribute.name == "pads" and len(attribute.ints) == 4:
                attribute.ints[0], attribute.ints[2] = time_padding or (1, 1)
    ends = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None) for name in (start, end)]
    graph = onnx.helper.make_graph(nodes, "part", ends[:1], ends[1:], weights)
    cut = onnx.helper.make_model(graph, opset_imports=network.opset_import, ir_version=network.ir_version)
    running = session(cut.SerializeToString())
    return lambda values: running.run([end], {start: values})[0]


def _between(graph: Any, start: str, end: str) -> tuple[list[Any], list[Any]]:
    """The nodes from `start` to `end` in the order of the graph, and the weights they use."""
    makers = {output: node for node in graph.node for output in node.output}
    weights = {weight.name: weight for weight in graph.initializer}
    waiting, needed, used = [end], set(), {}
    while waiting:
        name = waiting.pop()
        if name in weights:
            used[name] = weights[name]
        elif name != start and name not in needed:
            needed.add(name)
            waiting.extend(makers[name].input)
    return [node for node in graph.node if needed & set(node.output)], list(used.values())
