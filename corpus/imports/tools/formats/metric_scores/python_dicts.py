"""Dictionaries as Python prints them: single quotes, None, nan, and numbers of numpy. Nothing of it is run."""

import ast
from typing import Any

from corpus.imports.files.rows import Row

LONGEST_LINE = 1024**2
NO_NUMBERS = ("nan", "inf")


def python_dict(line: str) -> Row | None:
    """The dictionary that the line is; None where it is none. What is no plain value in it stays as its text."""
    if len(line) > LONGEST_LINE:
        return None
    try:
        node = ast.parse(line.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if not isinstance(node, ast.Dict):
        return None
    names = [name.value if isinstance(name, ast.Constant) else None for name in node.keys]
    if not all(isinstance(name, str) for name in names):
        return None
    return {str(name): _value(part) for name, part in zip(names, node.values, strict=True)}


def _value(node: ast.expr) -> Any:
    """
    >>> [_value(ast.parse(it, mode="eval").body) for it in ("-1.5", "nan", "np.float32(4.2)", "[1, 'a']", "None")]
    [-1.5, None, 4.2, "[1, 'a']", None]
    """
    if isinstance(node, ast.Constant) and isinstance(node.value, str | int | float | None):
        return node.value
    if isinstance(node, ast.Name) and node.id in NO_NUMBERS:
        return None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _value(node.operand)
        return -inner if isinstance(inner, int | float) else None
    if isinstance(node, ast.Call) and len(node.args) == 1 and ast.unparse(node.func).startswith(("np.", "numpy.")):
        return _value(node.args[0])
    return ast.unparse(node)
