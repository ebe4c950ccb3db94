from collections import Counter

import numpy as np
import pytest

from corpus.models import ResponseTurn, Unit
from infrastructure.models import Job
from infrastructure.tasks import run_job_task
from measurements.metrics.contract import Input
from measurements.metrics.registry import METRICS
from measurements.models import MetricRun, MetricScore
from measurements.reasons import NOT_EXTRACTED
from measurements.scores.computing import compute_metrics, start_metrics
from measurements.scores.evidence import Readers, evidence_of
from measurements.scores.jobs import metrics_job
from tests.factories import make_campaign, make_unit
from tests.measurements.measuring import feature, kept_clip, make_dataset, no_progress, responses, voice, with_sound

pytestmark = pytest.mark.django_db
TRANSLATED = {"reference_translation": "Guten Morgen zusammen", "target_language": "de"}


def scores(dataset, metric: str) -> list[tuple]:
    rows = MetricScore.objects.filter(system__dataset=dataset, metric=metric, response__isnull=False)
    return list(rows.order_by("response").values_list("value", "reason"))


@pytest.mark.databases
def test_scores_of_texts_and_durations_are_kept_per_response_and_per_system() -> None:
    dataset = make_dataset(facts=TRANSLATED)

    compute_metrics(dataset, names=["bleu", "wer", "rde"], progress=no_progress)

    assert scores(dataset, "wer") == [(pytest.approx(1 / 3), None)] * 6
    assert scores(dataset, "rde") == [(0.0, None)] * 6
    of_systems = MetricScore.objects.filter(response=None, metric="wer")
    assert [(row.value, row.n) for row in of_systems] == [(pytest.approx(1 / 3), 3)] * 2
    assert Counter(MetricScore.objects.values_list("metric", flat=True)) == {"bleu": 8, "wer": 8, "rde": 6}


@pytest.mark.databases
def test_transcript_says_where_it_came_from() -> None:
    dataset = make_dataset(facts=TRANSLATED)

    compute_metrics(dataset, names=["wer", "bleu"], progress=no_progress)
    assert {
        row.made_of["transcript"] for row in MetricScore.objects.filter(metric="wer", response__isnull=False)
    } == {"text of the import"}
    heard = {"transcript": feature({"text": "Guten Morgen zusammen"})}
    compute_metrics(dataset, names=["wer"], progress=no_progress, readers=Readers(lambda _clip: heard))

    assert scores(dataset, "wer") == [(0.0, None)] * 6
    assert MetricScore.objects.filter(metric="wer", made_of={"transcript": "feature"}).count() == 6
    assert all(row.made_of == {} for row in MetricScore.objects.filter(metric="bleu"))


@pytest.mark.databases
def test_what_is_missing_is_said_and_never_zero() -> None:
    dataset = make_dataset(items=1)

    compute_metrics(dataset, names=["bleu", "f0-similarity", "dnsmos-sig"], progress=no_progress)

    assert scores(dataset, "bleu")[0] == (None, "the item has no fact reference_translation or reference_text")
    unreadable = "the original cannot be read (No such file or directory); import the dataset again"
    assert scores(dataset, "f0-similarity")[0] == (None, unreadable)
    assert scores(dataset, "dnsmos-sig")[0] == (None, NOT_EXTRACTED())
    of_system = MetricScore.objects.filter(metric="bleu", response=None).first()
    assert (of_system.value, of_system.n) == (None, 0)


def test_audio_is_read_from_the_clips() -> None:
    dataset = make_dataset(items=1)
    with_sound(dataset)

    names = ["energy-similarity", "envelope-similarity", "rhythm-similarity", "formant-deviation", "rde"]
    compute_metrics(dataset, names=names, progress=no_progress)

    for name in names:
        assert all(value is not None for value, _ in scores(dataset, name)), name
    assert scores(dataset, "rde")[0][0] == pytest.approx(0.1, abs=1e-6)


def test_audio_that_is_gone_is_a_reason() -> None:
    dataset = make_dataset(items=1)

    compute_metrics(dataset, names=["energy-similarity"], progress=no_progress)

    assert scores(dataset, "energy-similarity")[0][1] == (
        "the original cannot be read (No such file or directory); import the dataset again"
    )


@pytest.mark.databases
def test_stereo_of_another_rate_becomes_mono_at_16_khz() -> None:
    dataset = make_dataset(items=1)
    [response, _] = responses(dataset)
    both = np.stack([voice(1, 3), voice(2, 3)], axis=1)  # a second at 48 kHz
    ResponseTurn.objects.filter(response=response).update(clip=kept_clip(both, 48_000))

    evidence, _ = evidence_of(response, [Input.RESPONSE_AUDIO])

    audio = evidence.values[Input.RESPONSE_AUDIO]
    assert (audio.rate, audio.samples.shape) == (16_000, (16_000,))


def test_turns_of_a_conversation_are_one_behind_the_other() -> None:
    dataset = make_dataset(items=1)
    [response, _] = responses(dataset)
    first = response.turns.get()
    ResponseTurn.objects.create(response=response, position=2, text="und Tschüss", clip=first.clip)

    evidence, _ = evidence_of(response, [Input.TRANSCRIPT, Input.RESPONSE_F0], readers=Readers())

    assert evidence.values[Input.RESPONSE_TEXT] == "Guten Morgen alle und Tschüss"
    assert evidence.values[Input.RESPONSE_SECONDS] == 2.0
    assert "2 turns have no pitch contour" in evidence.missing[Input.RESPONSE_F0]


def test_features_become_inputs() -> None:
    dataset = make_dataset(items=1)
    given = {
        "pitch": feature({"contour_hz": [100.0, None, 120.0, 130.0]}),
        "voice_activity": feature({"speech": [[0.0, 0.5]], "speech_s": 0.5}),
        "speaker": feature([1.0, 2.0]),
        "emotion": feature({"happy": 1.0}),
        "quality": feature({"sig": 3.0, "bak": 4.0, "ovrl": 2.5, "p808": 3.1, "rule": "reference"}),
        "emotion_embedding": feature(None, "unavailable: no weights"),
    }

    names = ["f0-similarity", "speech-overlap", "speaker-similarity", "emotion-match", "dnsmos-p808"]
    compute_metrics(
        dataset, names=[*names, "emotion-embedding"], progress=no_progress, readers=Readers(lambda _clip: given)
    )

    assert [scores(dataset, name)[0][0] for name in names] == [pytest.approx(x) for x in (1, 0.5, 1, 1, 3.1)]
    assert scores(dataset, "emotion-embedding")[0] == (None, "unavailable: no weights")


def test_features_of_a_clip_are_asked_for_once() -> None:
    dataset = make_dataset(items=1)
    asked = []

    def features_of(clip):
        asked.append(clip.pk)
        return {}

    names = ["f0-similarity", "speech-overlap", "speaker-similarity", "dnsmos-sig", "wer"]
    compute_metrics(dataset, names=names, progress=no_progress, readers=Readers(features_of))

    assert len(asked) == 4  # two responses, each with its prompt
    assert len(set(asked)) == 3


@pytest.mark.databases
def test_pitch_is_taken_from_the_audio_where_a_tracker_is_given() -> None:
    dataset = make_dataset(items=1)
    with_sound(dataset)
    readers = Readers(pitch_of=lambda samples: 100 + 50 * np.abs(samples[::160]).astype(np.float64))

    compute_metrics(dataset, names=["f0-similarity"], progress=no_progress, readers=readers)

    assert all(value is not None for value, _ in scores(dataset, "f0-similarity"))


@pytest.mark.databases
def test_computing_again_replaces_what_was_computed_and_nothing_else() -> None:
    dataset = make_dataset(items=1, facts=TRANSLATED)
    [response, _] = responses(dataset)
    imported = MetricScore.objects.create(
        system=response.system, response=response, metric="wer", version="1", source="imported", value=0.5
    )

    for _ in range(2):
        compute_metrics(dataset, names=["wer", "rde"], progress=no_progress)
    compute_metrics(dataset, names=["rde"], progress=no_progress)

    assert MetricScore.objects.filter(source="computed").count() == 4 + 2
    assert MetricScore.objects.get(pk=imported.pk).value == 0.5


@pytest.mark.databases
def test_job_computes_and_shows_progress() -> None:
    dataset = make_dataset(facts=TRANSLATED)

    job = start_metrics(dataset, names=["wer", "bleu", "wer"], user=dataset.created_by)
    assert start_metrics(dataset, names=["rde"], user=dataset.created_by) == job
    run_job_task(str(job.pk))

    job = Job.objects.get(pk=job.pk)
    assert (job.status, job.done, job.total, job.error) == ("succeeded", 6, 6, None)
    assert (MetricRun.objects.get().names, metrics_job(dataset)) == (["wer", "bleu"], job)
    assert MetricScore.objects.filter(run=MetricRun.objects.get()).count() == 16


@pytest.mark.databases
def test_worker_that_died_is_taken_over_without_a_repetition() -> None:
    dataset = make_dataset(items=30, facts=TRANSLATED, with_audio=False)
    run = MetricRun.objects.create(dataset=dataset, names=["wer"], started_by=dataset.created_by)

    class Killed(Exception):
        pass

    def die(done: int, _total: int, _note: str) -> None:
        if done == 25:
            raise Killed

    with pytest.raises(Killed):
        compute_metrics(dataset, names=["wer"], progress=die, run=run)
    kept = set(MetricScore.objects.values_list("pk", flat=True))
    compute_metrics(dataset, names=["wer"], progress=no_progress, run=run)

    assert len(kept) == 20
    assert kept < set(MetricScore.objects.values_list("pk", flat=True))
    assert MetricScore.objects.filter(response__isnull=False).count() == 60
    assert set(MetricScore.objects.filter(response=None).values_list("n", flat=True)) == {30}


@pytest.mark.databases
@pytest.mark.parametrize("protocol", ["hcot", "acr", "dubbing"])
def test_units_have_their_own_responses_measured(protocol: str) -> None:
    campaign = make_campaign(units=2, protocol=protocol)
    make_unit(campaign.dataset, "outside of the campaign")

    units = Unit.objects.filter(pk__in=campaign.campaign_units.values("unit"))
    compute_metrics(campaign.dataset, names=["rde", "sr-word-spearman"], progress=no_progress, units=units)

    used = [row.response.item.key for row in MetricScore.objects.filter(response__isnull=False)]
    n_each = {"pair": 2, "single": 1, "item": 2}[campaign.protocol.unit]
    assert Counter(used) == {"0": n_each, "1": n_each}
    assert not MetricScore.objects.filter(response=None).exists()


@pytest.mark.databases
@pytest.mark.parametrize(
    ("names", "said"), [(["nothing"], "no metric 'nothing'"), (["nisqa"], "NISQA-MOS: its scores"), ([], "Choose")]
)
def test_what_cannot_be_computed_is_refused(names: list[str], said: str) -> None:
    dataset = make_dataset(items=1)

    with pytest.raises(ValueError, match=said):
        start_metrics(dataset, names=names, user=dataset.created_by)
    assert not MetricRun.objects.exists()


def test_every_metric_that_is_available_can_be_computed_over_a_dataset() -> None:
    dataset = make_dataset(facts=TRANSLATED)
    with_sound(dataset)
    names = [name for name, metric in METRICS.items() if not metric.is_imported_only]

    compute_metrics(dataset, names=names, progress=no_progress)

    assert set(MetricScore.objects.values_list("metric", flat=True)) == set(names)


@pytest.mark.databases
def test_number_of_queries_does_not_grow_with_the_responses(django_assert_max_num_queries) -> None:
    dataset = make_dataset(items=9, facts=TRANSLATED)

    with django_assert_max_num_queries(20):
        compute_metrics(dataset, names=["wer", "bleu", "rde"], progress=no_progress)
