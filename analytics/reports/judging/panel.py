"""The judges of a campaign and the people they stand beside: what several figures and kinds of reports share."""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from analytics.data.label_arrays import Group, JudgeRun
from analytics.judged.cache import refusals
from analytics.judged.comparison import compared_aspects, sides_of
from analytics.judged.counting import NAMES, TITLES, Counting, counting_values
from analytics.judged.sides import NOBODY, Side
from analytics.reports.contract import Option
from analytics.reports.output.figures import Link
from analytics.reports.references import group_title, reference_of
from analytics.reports.source import Source
from campaigns.models import Campaign
from infrastructure.wording.phrases import Phrase, phrased
from infrastructure.wording.reasons import Reason
from judges.models import JudgeQualification, Run
from stats import reasons

#: The name of an option that kinds about judges share.
ASPECT = "aspect"


@dataclass
class Panel:
    """Of one report. `runs` are those that have figures, `refused` says why others have none, by run."""

    source: Source

    @cached_property
    def group(self) -> Group | None:
        return reference_of(self.source)

    @property
    def counting(self) -> Counting:
        return Counting(**{name: self.source.option(name) for name in NAMES})

    @cached_property
    def sides(self) -> dict[str, Side]:
        return sides_of(self.source.arrays, self.group, self.counting)

    @cached_property
    def refused(self) -> dict[int, Phrase]:
        return refusals([run.run.pk for run in self.source.arrays.runs])

    @cached_property
    def runs(self) -> tuple[JudgeRun, ...]:
        return tuple(run for run in self.source.arrays.runs if run.run.pk not in self.refused)

    @cached_property
    def names(self) -> dict[int, str]:
        """By run: the judge's title, with the run's number where another run has the same."""
        rows = [run.run for run in self.source.arrays.runs]
        titles = Counter(row.judge.title for row in rows)
        return {
            row.pk: f"{row.judge.title} ({row.pk})" if titles[row.judge.title] > 1 else row.judge.title
            for row in rows
        }

    def link(self, run: JudgeRun) -> Link:
        return Link(self.names[run.run.pk], "run", (self.source.campaign.slug, run.run.pk))

    @property
    def people(self) -> str:
        """What the reference is called."""
        return group_title(self.group)

    @property
    def side(self) -> Side | None:
        """Of the aspect that was chosen, else of the first."""
        chosen = self.sides.get(self.source.option(ASPECT))
        return chosen or next(iter(self.sides.values()), None)

    @cached_property
    def side_of_judges(self) -> Side | None:
        """The same, also where nobody labelled anything: what judges say of each other needs no people."""
        if self.side:
            return self.side
        aspects = {aspect.name: aspect for aspect in compared_aspects(self.source.arrays)}
        chosen = aspects.get(self.source.option(ASPECT)) or next(iter(aspects.values()), None)
        return Side(self.source.arrays, chosen, NOBODY, self.counting) if chosen else None


def aspect_option(campaign: Campaign) -> Option:
    chosen = sorted(campaign.protocol.counted_aspects, key=lambda aspect: aspect.name != "overall")
    return Option(ASPECT, Phrase("Aspect"), tuple((aspect.name, phrased(aspect.title)) for aspect in chosen))


def counting_options(campaign: Campaign, *names: str) -> tuple[Option, ...]:
    """The choices of how answers count, those of these names or all."""
    values = counting_values(campaign.protocol)
    return tuple(Option(name, TITLES[name], it) for name, it in values.items() if not names or name in names)


def no_judges(campaign: Campaign) -> Reason | None:
    if Run.objects.filter(campaign=campaign, perturbation__isnull=True).exists():
        return None
    return reasons.NO_JUDGE_YET()


def qualifications(_source: Source) -> tuple[object, ...]:
    """Which judges stand in a report hangs on their qualification, too."""
    return (JudgeQualification.objects.order_by("-pk").values_list("pk", flat=True).first(),)
