"""The metrics' job extracts what its metrics read, and nothing else."""

import pytest

from corpus.models import Dataset, ResponseTurn, Turn
from infrastructure.tasks import run_job_task
from measurements.metrics.contract import Input
from measurements.models import ClipFeature, MetricScore
from measurements.scores import features
from measurements.scores.computing import start_metrics
from measurements.scores.features import extract_needed, needed_features
from tests.measurements.measuring import make_dataset, no_progress, responses, with_sound

pytestmark = pytest.mark.django_db


def clips(dataset: Dataset) -> tuple[set[int], set[int]]:
    """Of prompts, and of responses."""
    return (
        set(Turn.objects.filter(item__dataset=dataset).values_list("clip", flat=True)),
        set(ResponseTurn.objects.filter(response__item__dataset=dataset).values_list("clip", flat=True)),
    )


def extracted(name: str) -> set[int]:
    return set(ClipFeature.objects.filter(name=name).values_list("clip", flat=True))


def test_the_job_extracts_what_its_metrics_read_and_computes_from_it() -> None:
    dataset = make_dataset(items=1)
    with_sound(dataset)

    job = start_metrics(dataset, names=["speech-overlap", "rde"], user=dataset.created_by)
    run_job_task(str(job.pk))

    prompts, answers = clips(dataset)
    assert extracted("voice_activity") == prompts | answers
    assert set(ClipFeature.objects.values_list("name", flat=True)) == {"voice_activity"}
    reasons = MetricScore.objects.filter(metric="speech-overlap", response__isnull=False).values_list(
        "reason", flat=True
    )
    assert [reason for reason in reasons if reason and "not extracted" in reason] == []
    job.refresh_from_db()
    assert (job.status, job.done, job.total) == ("succeeded", 2, 2)


def test_each_side_gets_what_is_read_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = make_dataset(items=2)
    first, *rest = responses(dataset)
    ResponseTurn.objects.filter(response=first).update(text=" ")
    several = rest[0]
    ResponseTurn.objects.create(response=several, position=2, text="more", clip=several.turns.get().clip)
    asked: dict[int, set[str]] = {}
    monkeypatch.setattr(
        features,
        "ensure_features",
        lambda clips, names, _progress: asked.update({clip.pk: set(names) for clip in clips}),
    )

    extract_needed(dataset, [Input.SOURCE_SPEAKER, Input.DNSMOS, Input.TRANSCRIPT, Input.RESPONSE_F0], no_progress)

    prompts, _answers = clips(dataset)
    expected = {clip: {"speaker"} for clip in prompts}
    expected |= {response.turns.get().clip_id: {"quality"} for response in rest[1:]}
    assert asked == expected | {first.turns.get().clip_id: {"quality", "transcript"}}


def test_an_input_without_an_extractor_asks_for_none() -> None:
    assert needed_features([Input.SOURCE_EMOTION_EMBEDDING, Input.RESPONSE_TEXT, Input.RESPONSE_AUDIO]) == (
        set(),
        set(),
    )
    assert needed_features([Input.SOURCE_EMOTION, Input.RESPONSE_SPEECH]) == ({"emotion"}, {"voice_activity"})
