import pytest

from campaigns.launch.pair_files import find_pairs, read_pairs
from corpus.models import ResponseTurn
from infrastructure.models import Job
from infrastructure.tasks import run_job_task
from measurements.identity_leaks.scans import (
    hit_responses,
    latest_scan,
    proposed_names,
    scan_identity,
    silent_pairs,
    start_scan,
)
from measurements.models import IdentityHit, IdentityScan, ScannedResponse
from tests.factories import RARE_A, RARE_B
from tests.measurements.measuring import feature, make_dataset, no_progress, responses

pytestmark = pytest.mark.django_db


def scanned(dataset, names=("Siri",), **more) -> IdentityScan:
    scan = IdentityScan.objects.create(dataset=dataset, names=list(names), started_by=dataset.created_by)
    scan_identity(scan, progress=no_progress, **more)
    return scan


def say(response, text: str) -> None:
    ResponseTurn.objects.filter(response=response).update(text=text)


@pytest.mark.databases
def test_hits_are_kept_with_words_and_place() -> None:
    dataset = make_dataset(items=2)
    say(responses(dataset)[1], "Hello, I am Siri.")

    scan = scanned(dataset)

    hit = IdentityHit.objects.get()
    assert (hit.matched, hit.start, hit.kind, hit.of_transcript) == ("I am Siri", 7, "introduction", False)
    assert (scan.responses.count(), scan.responses.filter(is_hit=True).count()) == (4, 1)
    assert list(hit_responses(dataset)) == [responses(dataset)[1]]


def test_responses_without_a_word_are_not_counted() -> None:
    dataset = make_dataset(items=1, said="")

    assert scanned(dataset).responses.count() == 0


@pytest.mark.databases
def test_transcripts_are_read_too() -> None:
    dataset = make_dataset(items=1, said="")

    scanned(dataset, features_of=lambda _clip: {"transcript": feature({"text": "my name is siri"})})

    assert set(IdentityHit.objects.values_list("matched", "of_transcript")) == {("my name is siri", True)}


@pytest.mark.databases
def test_job_scans_and_the_latest_scan_counts() -> None:
    dataset = make_dataset(items=1)
    say(responses(dataset)[0], f"This is {RARE_A.lower()}")

    assert (latest_scan(dataset), set(proposed_names(dataset)) >= {RARE_A, RARE_B, "ChatGPT"}) == (None, True)
    job = start_scan(dataset, names=[RARE_A, " ", RARE_A], user=dataset.created_by)
    assert start_scan(dataset, names=["x"], user=dataset.created_by) == job
    run_job_task(str(job.pk))

    assert Job.objects.get(pk=job.pk).status == "succeeded"
    assert (proposed_names(dataset), hit_responses(dataset).count()) == ([RARE_A], 1)
    scanned(dataset, names=[])
    assert hit_responses(dataset).count() == 0


@pytest.mark.databases
def test_scan_that_was_cut_off_is_taken_up_again() -> None:
    dataset = make_dataset(items=3)
    scan = IdentityScan.objects.create(dataset=dataset, names=[], started_by=dataset.created_by)
    ScannedResponse.objects.create(scan=scan, response=responses(dataset)[0], is_hit=True)

    assert latest_scan(dataset) is None
    scan_identity(scan, progress=no_progress)

    assert (scan.responses.count(), latest_scan(dataset)) == (6, scan)


def test_pairs_that_are_left_can_be_taken_into_a_campaign() -> None:
    dataset = make_dataset(items=3)
    say(responses(dataset)[0], "I am Siri.")
    scanned(dataset)

    left = silent_pairs(dataset)

    assert {a.item.key for a, _ in left} == {"item-1", "item-2"}
    lines = [f"{a.item.key},{a.system.name},{b.system.name},{a.key},{b.key}" for a, b in left]
    rows = read_pairs("\n".join(["item,system_a,system_b,take_a,take_b", *lines]))
    assert find_pairs(dataset, rows) == left
