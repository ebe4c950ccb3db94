"""The forms of the builder: one for the whole protocol, one per aspect, one per worked example.

A field here has the name of the protocol's field, so a new simple field is one line here, or none: what is not
declared is made from the type and stands among the fine print.
"""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any, ClassVar

from django import forms
from django.forms.boundfield import BoundField
from django.utils.translation import gettext_lazy as _

from campaigns.protocol_composer.document import OWN
from campaigns.protocol_composer.fields import Choice, Flag, Number, Options, Pairs, Text, Words, plain_field
from campaigns.protocol_composer.known_protocols import KINDS
from infrastructure.templatetags.wording import worded
from protocols import Aspect, Example, Protocol
from protocols.documents.reading import hints
from protocols.documents.schema import DESCRIPTIONS
from protocols.kinds import KINDS as KINDS_OF_QUESTION
from protocols.scales.named import BY_NAME

#: What the scales of ours are called in the form; one that is missing here goes by its name.
SCALE_TITLES = {
    "typed_tie": _("Which is better, or both good, or both bad"),
    "untyped_tie": _("Which is better, or no difference"),
    "forced_choice": _("Which is better"),
    "which_or_same": _("Which has more of it, or the same"),
    "ccr": _("How much better or worse is 2, −3 to 3 (CCR)"),
    "which_response": _("Any one of the responses"),
    "acr": _("Quality, 1 to 5 (ACR)"),
    "similarity": _("Likeness, 1 to 5"),
    "quality_100": _("Quality, 0 to 100 (slider)"),
    "yes_no": _("Yes or no"),
    "no_maybe_yes": _("No, maybe, yes"),
    "text": _("A written answer"),
}
FRAMES = [
    ("none", _("The same in every order")),
    ("response", _("Values are responses: 1, 2")),
    ("signed", _("Signed: the sign changes")),
]


def kind_choices() -> list[Any]:
    return [(name, worded(kind.title)) for name, kind in KINDS_OF_QUESTION.items()]


def scale_choices() -> list[Any]:
    """Ours by what they are about, and then one's own."""
    titles = [(name, SCALE_TITLES.get(name, name), scale.kind.compares) for name, scale in BY_NAME.items()]
    return [
        (_("Of your own"), [(OWN, _("Own choices…"))]),
        (_("Comparing responses"), [(name, title) for name, title, compares in titles if compares]),
        (_("Anything else"), [(name, title) for name, title, compares in titles if not compares]),
    ]


class RecordForm(forms.Form):
    """A form whose fields are those of one of the protocol's classes."""

    record: ClassVar[type]
    #: Fields of the class that have forms or fields of other names.
    elsewhere: ClassVar[frozenset[str]] = frozenset()
    #: Fields that the page puts in places of their own; the others are fine print.
    placed: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for f in fields(self.record):
            if f.name not in self.fields and f.name not in self.elsewhere:
                label = f.name.replace("_", " ").capitalize()
                help_text = DESCRIPTIONS.get((self.record, f.name), "")
                self.fields[f.name] = plain_field(hints(self.record)[f.name], label=label, help_text=help_text)

    def fine_print(self) -> Iterator[BoundField]:
        return (self[name] for name in self.fields if name not in self.placed)

    def row(self) -> dict[str, Any]:
        """What was filled in; where that cannot be read, what an empty field means."""
        return {name: self.cleaned_data.get(name, field.to_python("")) for name, field in self.fields.items()}


class ProtocolForm(RecordForm):
    record = Protocol
    elsewhere = frozenset({"listening", "aspects", "examples"})
    placed = frozenset({"title", "name", "version", "unit", "instructions", "elicitation", "rule", "seconds"})

    title = Text(label=_("Title"), help_text=_("What people call it."))
    name = Text(
        label=_("Name"), help_text=_("In addresses and exports: small letters, digits, hyphens, underscores.")
    )
    version = Text(label=_("Version"), help_text=_("Once saved, it stays."))
    unit = Choice(label=_("Raters hear"), choices=list(KINDS.items()), widget=forms.RadioSelect)
    instructions = Text(
        label=_("Instructions"), rows=5, help_text=_("Annotators read them before they begin, judges every time.")
    )
    elicitation = Choice(
        label=_("How answers are asked for"),
        choices=[
            ("direct", _("All choices at once")),
            ("guided", _("Step by step: is each acceptable, then which is better")),
        ],
        widget=forms.RadioSelect,
    )
    rule = Choice(
        label=_("Before an answer is taken"),
        choices=[
            ("full", _("every clip was heard in full")),
            ("seconds", _("some seconds of every clip were heard")),
            ("none", _("listening is not checked")),
        ],
    )
    seconds = Number(label=_("Seconds"), min_value=0, help_text=_("Of a shorter clip, all of it."))
    playback = Choice(
        label=_("Playing the other response"),
        choices=[
            ("restart", _("begins it anew: they say different words")),
            ("synchronised", _("goes on at the same place: they say the same words")),
        ],
    )
    prompt_title = Text(label=_("What the prompt is called"), help_text=_("The prompt, Source, Reference, …"))
    source = Text(label=_("Source"), help_text=_("The paper or standard it follows, with the section."))
    shows = Words(
        label=_("Facts about the item shown to raters"),
        help_text=_("Columns of the dataset, with commas between them: dimension, capability."),
    )
    item_criteria = Flag(
        label=_("Items bring criteria of their own"),
        help_text=_("Yes/no questions from the dataset's column of criteria, asked after the aspects."),
    )
    criteria_only_if = Pairs(
        label=_("Those criteria are asked only if"), rows=2, help_text=_("aspect = answer, one per line.")
    )
    ask_confidence = Flag(label=_("Ask how sure they are"))


class AspectForm(RecordForm):
    record = Aspect
    placed = frozenset(
        {
            *("title", "question", "guidance", "scale", "choices", "frame", "measure"),
            *("required", "per_response", "after", "only_if", "unlike"),
        }
    )

    title = Text(label=_("Title"), help_text=_("A word or two."))
    question = Text(label=_("Question"))
    guidance = Text(label=_("How to check"), rows=2)
    scale = Choice(label=_("Answers"), choices=scale_choices)
    choices = Options(
        label=_("Choices"),
        rows=5,
        help_text=_("One per line: value | label | what one hears at this point. For ranks, the lowest first."),
    )
    frame = Choice(label=_("When sides swap"), choices=FRAMES)
    measure = Choice(label=_("What the values are"), choices=kind_choices)
    required = Flag(label=_("Must be answered"))
    per_response = Flag(label=_("Asked of each response"))
    after = Words(label=_("Opens after"), help_text=_("Names of earlier aspects."))
    only_if = Pairs(label=_("Asked only if"), rows=2, help_text=_("aspect = answer, one per line."))
    unlike = Text(label=_("Not the same answer as"), help_text=_("The name of an earlier aspect."))
    name = Text(label=_("Name in exports"), help_text=_("Letters, digits and underscores."))
    group = Text(label=_("Heading above it"), help_text=_("Shared with its neighbours."))
    only_for = Pairs(
        label=_("Only of items with"), rows=2, help_text=_("column = value, one per line: dimension = semantic.")
    )
    scale_name = Text(label=_("Name of the choices"), help_text=_("For own choices; otherwise that of the aspect."))


class ExampleForm(RecordForm):
    record = Example

    heard = Text(
        label=_("What one hears"), rows=2, required=True, error_messages={"required": _("an example needs it.")}
    )
    answers = Pairs(label=_("Answers"), rows=3, help_text=_("question = answer, one per line."))
    why = Text(label=_("Why"), rows=2, required=True, error_messages={"required": _("an example needs it.")})
