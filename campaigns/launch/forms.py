"""The forms of the steps of a launch."""

from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from campaigns.entry_gates.system_name_leaks import systems_named
from campaigns.launch.pair_files import PairRow, read_pairs
from campaigns.launch.sample_units import FOR_PAIRS, How
from campaigns.launch.stopping import AGREEMENT, JUDGES, NUMBERS, PLACES, WORTH
from campaigns.protocol_composer.known_protocols import known_protocol, protocol_choices
from corpus.audio.delivery import LOUDEST_TARGET, QUIETEST_TARGET
from corpus.models import Dataset, System
from infrastructure.files.uploaded_tables import uploaded
from infrastructure.wording.names import require_visible
from protocols import Listening, Protocol

MAX_TABLE_BYTES = 10_000_000
LISTENING = [
    ("", _("As the protocol asks")),
    ("full", _("Every clip in full")),
    ("seconds", _("Three seconds of every clip")),
    ("none", _("Not checked")),
]
THREE_SECONDS = 3.0
STOPPING = [
    ("", _("No: by hand, or as above")),
    (PLACES, _("The first places of the board are settled")),
    (AGREEMENT, _("The agreement of annotators is known")),
    (JUDGES, _("The κ of each judge with people is known")),
    (WORTH, _("No further place is worth what it costs")),
]


class SystemsForm(forms.Form):
    """What is evaluated, and under which name."""

    title = forms.CharField(
        validators=[require_visible],
        label=_("Title"),
        max_length=120,
        help_text=_("Annotators read it, so do not name a system."),
    )
    dataset = forms.ModelChoiceField(
        label=_("Dataset"),
        queryset=Dataset.objects.none(),
        empty_label=None,
        widget=forms.Select(attrs={"hx-get": "", "hx-trigger": "change", "hx-target": "#systems"}),
    )
    systems = forms.ModelMultipleChoiceField(
        label=_("Systems"),
        queryset=System.objects.none(),
        widget=forms.CheckboxSelectMultiple,
        error_messages={
            "required": _("Choose at least one system."),
            "invalid_choice": _("These are the systems of another dataset. Choose again."),
        },
    )

    def __init__(self, *args: Any, datasets: QuerySet[Dataset], dataset: Dataset | None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["dataset"].queryset = datasets  # type: ignore[attr-defined]
        if dataset:
            self.fields["systems"].queryset = dataset.systems.all()  # type: ignore[attr-defined]

    @property
    def head(self) -> list[forms.BoundField]:
        return [self["title"], self["dataset"]]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        dataset, title = data.get("dataset"), data.get("title")
        if dataset and title and (names := systems_named(dataset, title)[0]):
            refusal = _("The title names %(systems)s, and annotators read it.")
            self.add_error("title", refusal % {"systems": ", ".join(names)})
        return data


class ProtocolForm(forms.Form):
    """What is asked, and how clips are heard."""

    protocol = forms.ChoiceField(label=_("Protocol"), error_messages={"required": _("Choose a protocol.")})
    listening = forms.ChoiceField(
        label=_("Listening"),
        choices=LISTENING,
        required=False,
        help_text=_("What an annotator must have heard before an answer is taken."),
    )
    match_loudness = forms.BooleanField(
        label=_("Match loudness"),
        required=False,
        help_text=_("One constant gain per clip, no limiter."),
    )
    target_lufs = forms.FloatField(label=_("Loudness (LUFS)"), min_value=QUIETEST_TARGET, max_value=LOUDEST_TARGET)
    show_waveform = forms.BooleanField(
        label=_("Show waveforms"),
        required=False,
        help_text=_("A picture helps to find a place again, but it may sway raters: noise and silence can be seen."),
    )

    def __init__(self, *args: Any, highest_target: float | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["protocol"].choices = protocol_choices()  # type: ignore[attr-defined]
        if highest_target is not None:
            text = _("At %(highest)s or below every clip of these systems should fit without a limiter.")
            self.fields["target_lufs"].help_text = text % {"highest": f"{highest_target:g}"}

    @property
    def hearing(self) -> list[forms.BoundField]:
        return [self["listening"], self["show_waveform"], self["match_loudness"]]

    @property
    def loudness(self) -> list[forms.BoundField]:
        return [self["target_lufs"]]

    def clean_protocol(self) -> Protocol:
        """The protocol itself: every choice is known, and none is ever taken away."""
        known = known_protocol(self.cleaned_data["protocol"])
        if known is None:
            raise forms.ValidationError(_("There is no such protocol."))
        return known.protocol

    def clean_listening(self) -> Listening | None:
        """The rule that stands in for the protocol's own; None leaves that one."""
        rule = self.cleaned_data["listening"]
        return Listening(rule, THREE_SECONDS) if rule else None


class UnitsForm(forms.Form):
    """Which units of the kind that the protocol asks about; the ways to choose are for pairs.

    With `keeps_file` the pairs of an earlier file stay where there is no new one.
    """

    how = forms.ChoiceField(label=_("Units"), choices=How.choices, widget=forms.RadioSelect)
    per_pair = forms.IntegerField(label=_("Items for each two systems"), min_value=1, max_value=1000)
    pairs = forms.FileField(
        label=_("File of pairs"),
        error_messages={"required": _("Choose the file of pairs.")},
        help_text=_("A CSV with the columns item, system_a, system_b and, optionally, take_a and take_b."),
    )
    repeat_share = forms.IntegerField(
        label=_("Repeated for reliability (%)"),
        min_value=0,
        max_value=50,
        help_text=_(
            "This percentage of units, drawn at random, is shown a second time to the people who answered them."
        ),
    )
    pace = forms.IntegerField(
        label=_("Seconds per answer"),
        min_value=1,
        max_value=3600,
        help_text=_("For the hours below; to begin with, a guess from the lengths of the clips."),
    )

    def __init__(self, *args: Any, kind: str, has_imported: bool, keeps_file: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.use_required_attribute = False  # fields of ways that are not chosen cannot be seen
        self.fields["pairs"].required = not keeps_file
        ways = [how for how in FOR_PAIRS if has_imported or how != How.IMPORTED] if kind == "pair" else [How.EVERY]
        self.fields["how"].choices = [(how.value, how.label) for how in ways]  # type: ignore[attr-defined]

    @property
    def of_subset(self) -> list[forms.BoundField]:
        return [self["per_pair"]]

    @property
    def of_file(self) -> list[forms.BoundField]:
        return [self["pairs"]]

    @property
    def reliability(self) -> list[forms.BoundField]:
        return [self["repeat_share"], self["pace"]]

    def clean_pairs(self) -> list[PairRow] | None:
        if not (file := self.cleaned_data["pairs"]):
            return None
        return uploaded(file, read_pairs, most_bytes=MAX_TABLE_BYTES)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        for name, way in (("per_pair", How.SUBSET), ("pairs", How.FILE)):
            if data.get("how") != way:
                self.errors.pop(name, None)  # of a way that was not chosen
        return data


class AnswersForm(forms.Form):
    """How many people answer each unit, and when it ends."""

    answers_per_unit = forms.IntegerField(
        label=_("Answers per unit"),
        min_value=1,
        max_value=100,
        help_text=_("By as many different people. Agreement can be computed from two on."),
    )
    closes_at = forms.DateTimeField(
        label=_("Closes on"),
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        help_text=_("No answers are accepted after that. Annotators see it beforehand."),
    )
    closes_when_complete = forms.BooleanField(
        label=_("Close when every unit has its answers"),
        required=False,
        help_text=_("Answers that were left out do not count: another annotator gets the unit first."),
    )

    stop_rule = forms.ChoiceField(
        label=_("Close once something is known"),
        required=False,
        choices=STOPPING,
        help_text=_(
            "By figures that hold however often they are looked at, so that closing claims nothing too early."
        ),
    )
    stop_places = forms.IntegerField(
        label=_("Places to be settled"),
        required=False,
        min_value=1,
        max_value=100,
        help_text=_("Of the board, counted from the first: no other system can be on them."),
    )
    stop_width = forms.FloatField(
        label=_("Agreement known to ±"),
        required=False,
        min_value=0.01,
        max_value=1,
        widget=forms.NumberInput(attrs={"step": "0.01"}),
        help_text=_("α of the first question, from 100 units on. ±0.05 takes some hundreds of units."),
    )
    stop_kappa = forms.FloatField(
        label=_("κ of judges known to ±"),
        required=False,
        min_value=0.01,
        max_value=1,
        widget=forms.NumberInput(attrs={"step": "0.01"}),
        help_text=_("Of every judge that runs here, on the first question, from 100 units on."),
    )
    stop_price = forms.FloatField(
        label=_("Price of an answer"),
        required=False,
        min_value=0.0001,
        max_value=1e6,
        widget=forms.NumberInput(attrs={"step": "any"}),
        help_text=_("In the currency of your choice, the same as below."),
    )
    stop_worth = forms.FloatField(
        label=_("Most to pay for a further settled place"),
        required=False,
        min_value=0.0001,
        max_value=1e9,
        widget=forms.NumberInput(attrs={"step": "any"}),
        help_text=_("It closes when the cheapest open place is expected to cost more."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for names in NUMBERS.values():
            for name in names:
                self.fields[f"stop_{name}"].asked_where_shown = True  # type: ignore[attr-defined]

    @property
    def number(self) -> list[forms.BoundField]:
        return [self["answers_per_unit"]]

    @property
    def end(self) -> list[forms.BoundField]:
        return [self["closes_at"], self["closes_when_complete"]]

    @property
    def rule(self) -> list[forms.BoundField]:
        return [self["stop_rule"]]

    @property
    def stopping(self) -> list[tuple[str, list[forms.BoundField]]]:
        """The fields of each rule, by its kind."""
        return [(kind, [self[f"stop_{name}"] for name in names]) for kind, names in NUMBERS.items()]

    @property
    def chosen(self) -> dict[str, Any]:
        """What `set_answers` takes, of a form without errors."""
        said = self.cleaned_data
        chosen = {name: said[name] for name in ("answers_per_unit", "closes_at", "closes_when_complete")}
        rule = said["stop_rule"]
        numbers = {name: said[f"stop_{name}"] for name in NUMBERS.get(rule, ())}
        return chosen | {"stops_when": {"rule": rule} | numbers if rule else {}}

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        asked = {f"stop_{name}" for name in NUMBERS.get(data.get("stop_rule", ""), ())}
        for name in sorted(field for field in self.fields if field.startswith("stop_") and field != "stop_rule"):
            if name not in asked:
                self.errors.pop(name, None)  # of a rule that was not chosen
            elif name not in self.errors and data.get(name) is None:
                self.add_error(name, _("This rule takes a number here."))
        return data

    def clean_closes_at(self) -> Any:
        day = self.cleaned_data["closes_at"]
        if day and day <= timezone.now():
            raise forms.ValidationError(_("This day is over. Choose a later one, or none."))
        return day
