"""The features of clips that metrics read, extracted before the metrics are computed."""

from collections import defaultdict
from collections.abc import Iterable

from django.db.models import Count

from corpus.models import Clip, Dataset, Item, Response, ResponseTurn, Turn
from infrastructure.background.kinds import ShowProgress
from measurements.clip_features.rows import ensure_features, sources
from measurements.features.registry import extractors
from measurements.metrics.contract import Input
from measurements.scores.evidence import FROM_BOTH, FROM_RESPONSE, PITCH, READERS, Readers

WORDS = FROM_RESPONSE[Input.TRANSCRIPT].feature


def extract_needed(
    dataset: Dataset, inputs: Iterable[Input], progress: ShowProgress, *, readers: Readers = READERS
) -> None:
    """Extract what is missing of the features that these inputs are read from.

    Of several turns no feature is read, so none is extracted. Words are recognised only where the import gave no
    text: not every recogniser knows every language. Who wants them everywhere extracts all features first.
    """
    wanted = frozenset(inputs) - frozenset(PITCH if readers.pitch_of else ())
    of_source, of_response = needed_features(wanted)
    names: dict[Clip, set[str]] = defaultdict(set)
    for asked in _only_turns_of_prompts(dataset) if of_source else ():
        if asked.clip:
            names[asked.clip] |= of_source
    for said in _only_turns_of_responses(dataset) if of_response else ():
        if said.clip:
            names[said.clip] |= of_response - ({WORDS} if said.text.strip() else set())
    together: dict[frozenset[str], list[Clip]] = defaultdict(list)
    for clip, of_clip in names.items():
        together[frozenset(of_clip)].append(clip)
    for of_clips, clips in together.items():
        if of_clips:
            ensure_features(clips, sorted(of_clips), progress)


def needed_features(inputs: Iterable[Input]) -> tuple[set[str], set[str]]:
    """The extractors whose findings these inputs are: of the source, and of the response."""
    wanted, known = frozenset(inputs), extractors(sources()).keys()
    of_source = {it.feature for (source, _), it in FROM_BOTH.items() if source in wanted}
    of_response = {it.feature for (_, answer), it in FROM_BOTH.items() if answer in wanted}
    of_response |= {it.feature for name, it in FROM_RESPONSE.items() if name in wanted}
    return of_source & known, of_response & known


def _only_turns_of_prompts(dataset: Dataset) -> Iterable[Turn]:
    items = Item.objects.filter(dataset=dataset).annotate(n=Count("turns")).filter(n=1)
    return Turn.objects.filter(item__in=items.values("pk")).select_related("clip")


def _only_turns_of_responses(dataset: Dataset) -> Iterable[ResponseTurn]:
    responses = Response.objects.filter(item__dataset=dataset).annotate(n=Count("turns")).filter(n=1)
    return ResponseTurn.objects.filter(response__in=responses.values("pk")).select_related("clip")
