"""A protocol as a YAML file that people write by hand, with the line of every fault."""

from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from typing import Any

import yaml

from protocols.declared import Scale
from protocols.documents.plain import InvalidDocument, from_document
from protocols.documents.reading import Plain
from protocols.kinds.kind import Option
from protocols.protocol import Protocol
from protocols.scales.named import BY_NAME

MAX_BYTES = 100_000
MAX_DEPTH = 12
NULL = "tag:yaml.org,2002:null"
Path = tuple[str | int, ...]
Lines = dict[Path, int]


class InvalidYaml(ValueError):
    """A file that is not a protocol: the line, where there is one, and the reason."""

    def __init__(self, line: int | None, reason: str) -> None:
        super().__init__(reason if line is None else f"line {line}: {reason}")
        self.line = line
        self.reason = reason


def to_yaml(protocol: Protocol) -> str:
    """The file: what is left at its default is left out, and a scale of ours is given by its name."""
    return yaml.dump(
        _written(protocol), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100, default_flow_style=False
    )


def from_yaml(text: str) -> Protocol:
    """The protocol in the file. Raises InvalidYaml.

    A scale is a name of ours or a mapping, and options may be written as `value: label`. Unquoted text is text: a
    `yes` among the options stays a yes. Aliases, tags, double keys and files above 100 kB are refused.
    """
    if len(text.encode(errors="replace")) > MAX_BYTES:
        raise InvalidYaml(None, f"the file is larger than {MAX_BYTES // 1000} kB")
    node = _composed(text)
    if node is None:
        raise InvalidYaml(None, "the file is empty")
    lines: Lines = {(): _line(node)}
    document = _plain(node, (), lines)
    _expand(document, lines)
    try:
        return from_document(document)
    except InvalidDocument as fault:
        raise InvalidYaml(_nearest(fault.path, lines), fault.reason) from fault


def _composed(text: str) -> yaml.Node | None:
    try:
        _refuse_tricks(yaml.parse(text, Loader=yaml.SafeLoader))
        return yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise InvalidYaml(mark.line + 1 if mark else None, error.problem or str(error.context)) from error
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise InvalidYaml(line, "a character that YAML does not allow") from error
    except (ValueError, OverflowError) as error:
        if isinstance(error, InvalidYaml):
            raise
        raise InvalidYaml(None, f"this is not YAML: {error}") from error


def _refuse_tricks(events: Iterator[yaml.Event]) -> None:
    """Whatever could make a small file large, or more than plain data."""
    depth = 0
    for event in events:
        line = _line(event)
        if isinstance(event, yaml.AliasEvent):
            raise InvalidYaml(line, f"*{event.anchor}: aliases are not allowed here, write it out")
        if tag := getattr(event, "tag", None):
            raise InvalidYaml(line, f"{tag}: tags are not allowed here")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise InvalidYaml(line, "this is nested too deeply")


def _plain(node: yaml.Node, path: Path, lines: Lines) -> Any:
    """The node as dicts, lists and texts; `lines` learns where each of them stands."""
    if isinstance(node, yaml.MappingNode):
        return _plain_mapping(node, path, lines)
    if isinstance(node, yaml.SequenceNode):
        for place, one in enumerate(node.value):
            lines[*path, place] = _line(one)
        return [_plain(one, (*path, place), lines) for place, one in enumerate(node.value)]
    if node.tag == NULL:
        raise InvalidYaml(_line(node), "nothing is written here: leave the field out, or write a text in quotes")
    unquoted = isinstance(node, yaml.ScalarNode) and node.style is None
    return Plain(node.value) if unquoted else str(node.value)


def _plain_mapping(node: yaml.MappingNode, path: Path, lines: Lines) -> dict[str, Any]:
    mapping: dict[str, Any] = {}
    for key, one in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise InvalidYaml(_line(key), "a name is to be a plain text")
        name = str(key.value)
        if name in mapping:
            raise InvalidYaml(_line(key), f"{name!r} stands twice here")
        lines[*path, name] = _line(key)
        mapping[name] = _plain(one, (*path, name), lines)
    return mapping


def _expand(document: Any, lines: Lines) -> None:
    """Replace the short ways of writing a scale by the long one."""
    aspects = document.get("aspects") if isinstance(document, dict) else None
    for place, aspect in enumerate(aspects if isinstance(aspects, list) else ()):
        if not isinstance(aspect, dict):
            continue
        path: Path = ("aspects", place, "scale")
        scale = aspect.get("scale")
        if isinstance(scale, str):
            aspect["scale"] = _named(scale, lines.get(path))
        elif isinstance(scale, dict) and isinstance(options := scale.get("options"), dict):
            for number, value in enumerate(options):
                lines[*path, "options", number] = lines[*path, "options", value]
            scale["options"] = [{"value": value, "label": label} for value, label in options.items()]


def _named(name: str, line: int | None) -> dict[str, Any]:
    if name not in BY_NAME:
        raise InvalidYaml(line, f"there is no scale {str(name)!r}; the names are {', '.join(BY_NAME)}")
    scale = BY_NAME[name]
    options = [{"value": option.value, "label": option.label, "help": option.help} for option in scale.options]
    return {"name": scale.name, "options": options, "frame": scale.frame, "measure": scale.measure}


def _line(at: yaml.Node | yaml.Event) -> int:
    mark = at.start_mark
    return 1 if mark is None else int(mark.line) + 1


def _nearest(path: Path, lines: Lines) -> int | None:
    """The line of the fault, or of what it stands in."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path)


class _Inline(list[str]):
    """Names that are written on one line."""


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002
        return True


_Dumper.add_representer(
    _Inline, lambda dumper, names: dumper.represent_sequence("tag:yaml.org,2002:seq", names, flow_style=True)
)


def _written(value: Any) -> Any:
    if isinstance(value, Scale) and BY_NAME.get(value.name) == value:
        return value.name
    if is_dataclass(value):
        return {f.name: _written(one) for f in fields(value) if (one := getattr(value, f.name)) != _default(f)}
    if isinstance(value, tuple):
        return _written_list(value)
    return dict(value) if isinstance(value, dict) else value


def _written_list(values: tuple[Any, ...]) -> Any:
    if all(isinstance(one, str) for one in values):
        return _Inline(values)
    if all(isinstance(one, Option) and not one.help for one in values):
        return {option.value: option.label for option in values}
    return [_written(one) for one in values]


def _default(f: Any) -> Any:
    return f.default if f.default_factory is MISSING else f.default_factory()
