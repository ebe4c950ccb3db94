"""The builder's forms together: read from a protocol or from what was posted, with the faults at their fields."""

import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cached_property
from typing import Any

from campaigns.protocol_composer.document import OWN, aspect_row, document_of, head_row, scale_row
from campaigns.protocol_composer.forms import AspectForm, ExampleForm, ProtocolForm, RecordForm
from protocols import Aspect, Listening, Protocol, document_faults, from_document
from protocols.documents.examples import example_faults
from protocols.scales.named import TYPED_TIE

ROW = re.compile(r"(aspect|example)-([A-Za-z0-9]{1,20})-")
#: Stands for the key of a row that is yet to be added.
BLANK = "KEY"


@dataclass(frozen=True)
class Fault:
    """What is wrong, and the field (by its HTML name) where it is mended; "" where there is none yet."""

    field: str
    message: str
    suggestion: str = ""


class Composition:
    """Rows come in the order in which they are posted, whatever their keys, so that moving one is moving it there."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        keys = list(dict.fromkeys(found.groups() for name in data if (found := ROW.match(name))))
        self.head = ProtocolForm(data)
        self.aspects = [AspectForm(data, prefix=f"aspect-{key}") for kind, key in keys if kind == "aspect"]
        self.examples = [ExampleForm(data, prefix=f"example-{key}") for kind, key in keys if kind == "example"]
        self.refusals: list[Fault] = []

    @classmethod
    def of(cls, protocol: Protocol) -> "Composition":
        """The forms filled in with this protocol."""
        data = filled_in(ProtocolForm(initial=head_row(protocol)))
        for n, aspect in enumerate(protocol.aspects):
            data |= filled_in(AspectForm(initial=aspect_row(aspect), prefix=f"aspect-{n}"))
        for n, example in enumerate(protocol.examples):
            data |= filled_in(ExampleForm(initial=vars(example), prefix=f"example-{n}"))
        return cls(data)

    @classmethod
    def blank(cls) -> "Composition":
        """A protocol that is yet to be written, with one aspect."""
        head = defaults(Protocol) | {"version": "1", "rule": Listening().rule}
        aspect = AspectForm(initial=new_aspect(), prefix="aspect-0")
        return cls(filled_in(ProtocolForm(initial=head)) | filled_in(aspect))

    def blank_aspect(self) -> AspectForm:
        return AspectForm(initial=new_aspect(), prefix=f"aspect-{BLANK}")

    def blank_example(self) -> ExampleForm:
        return ExampleForm(prefix=f"example-{BLANK}")

    @cached_property
    def forms(self) -> list[RecordForm]:
        return [self.head, *self.aspects, *self.examples]

    @cached_property
    def document(self) -> dict[str, Any]:
        """What was posted, whether or not it is a protocol."""
        for form in self.forms:
            form.is_valid()
        rows = (form.row() for form in self.aspects), (form.row() for form in self.examples)
        return document_of(self.head.row(), *rows)

    @cached_property
    def protocol(self) -> Protocol | None:
        """The protocol, if everything fits."""
        return None if self._unreadable or document_faults(self.document) else from_document(self.document)

    @property
    def faults(self) -> list[Fault]:
        """Everything that is wrong, in reading order."""
        found = [Fault(self._field(fault.path), fault.reason) for fault in document_faults(self.document)]
        found += self._of_examples()
        reported = {fault.field for fault in self._unreadable} | self._names_to_come
        return [*self._unreadable, *(fault for fault in found if fault.field not in reported), *self.refusals]

    @property
    def _names_to_come(self) -> set[str]:
        """The name fields of aspects without a title, from which the page makes the name."""
        return {row.add_prefix("name") for row in self.aspects if not row["title"].value()}

    def show_faults(self) -> None:
        """Put every fault at its field, for a page that is rendered with them."""
        places = {form.add_prefix(name): (form, name) for form in self.forms for name in form.fields}
        unreadable = self._unreadable
        for fault in self.faults:
            if fault.field in places and fault not in unreadable:
                form, name = places[fault.field]
                form.add_error(name, fault.message)

    def refuse(self, field: str, message: str, suggestion: str = "") -> None:
        """Add a fault of the whole, of which the protocol itself knows nothing."""
        self.refusals.append(Fault(field if field in self.head.fields else "", message, suggestion))

    @cached_property
    def _unreadable(self) -> list[Fault]:
        """What does not even fit its field."""
        _read = self.document
        errors = [(form, name, error) for form in self.forms for name, error in form.errors.items()]
        return [
            Fault(form.add_prefix(name), f"{form.fields[name].label}: {' '.join(map(str, error))}")
            for form, name, error in errors
        ]

    def _of_examples(self) -> list[Fault]:
        """A protocol may be asked without them, but examples must not show impossible answers."""
        wrong = example_faults(self.protocol) if self.protocol else ()
        return [Fault(self.examples[place].add_prefix("answers"), reason) for place, reason in wrong]

    def _field(self, path: tuple[str | int, ...]) -> str:
        """The HTML name of the field at fault."""
        match path:
            case ("listening", *inner):
                return "rule" if inner == ["rule"] else "seconds"
            case ("aspects", int(place), "scale", *_):
                row = self.aspects[place]
                return row.add_prefix("choices" if row["scale"].value() == OWN else "scale")
            case ("aspects", int(place), str(field), *_) if field in self.aspects[place].fields:
                return self.aspects[place].add_prefix(field)
            case (str(field), *_) if field in self.head.fields:
                return field
        return ""


def new_aspect() -> dict[str, Any]:
    return defaults(Aspect) | scale_row(TYPED_TIE)


def defaults(record: type) -> dict[str, Any]:
    """What the fields of a protocol's class are if nothing is said."""
    return {f.name: f.default for f in fields(record) if f.default is not MISSING}


def filled_in(form: RecordForm) -> dict[str, str]:
    """What the browser posts if nothing is changed."""
    values = {field.html_name: field.field.prepare_value(field.value()) for field in form}
    return {name: "on" if value is True else str(value or "") for name, value in values.items() if value is not False}
