"""The pages of metrics and likelihoods: computed, brought in, shown, taken out; and refused."""

import csv
import io
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from analytics.measured.table import metric_table
from corpus.models import Dataset
from infrastructure.models import Job
from infrastructure.tasks import run_job_task
from infrastructure.wording.reasons import TEXT
from measurements.models import LikelihoodSequence, MetricScore
from measurements.scores.computing import compute_metrics
from tests.factories import RARE_A, RARE_B, UserFactory
from tests.measurements.measuring import make_dataset, no_progress, responses

pytestmark = pytest.mark.django_db
FACTS = {"reference_text": "Guten Morgen zusammen"}


@pytest.fixture
def dataset(client: Client) -> Dataset:
    dataset = make_dataset(items=4, facts=FACTS)
    client.force_login(dataset.created_by)
    return dataset


def url(name: str, dataset: Dataset) -> str:
    return reverse(name, args=[dataset.slug])


def upload(text: str) -> dict[str, SimpleUploadedFile]:
    return {"file": SimpleUploadedFile("table.csv", text.encode())}


def test_empty_page_says_what_to_do(client: Client, dataset: Dataset) -> None:
    page = client.get(url("dataset-metrics", dataset)).content.decode()

    assert "Nothing measured yet" in page
    assert "38 of 56 can be computed here" in page
    assert "Its scores are imported; nothing here computes it." in page


def test_chosen_metrics_are_computed_and_shown(client: Client, dataset: Dataset) -> None:
    answer = client.post(url("dataset-metrics-compute", dataset), {"names": ["wer", "rde"]})
    assert answer.status_code == 302
    assert "Waiting to begin" in client.get(url("dataset-metrics", dataset)).content.decode()
    run_job_task(str(Job.objects.get(kind="compute-metrics").pk))

    page = client.get(url("dataset-metrics", dataset)).content.decode()

    assert "Nothing measured yet" not in page
    assert "0.333" in page
    table = metric_table(dataset)
    assert [column.metric.name for column in table.columns] == ["wer", "rde"]
    assert [name for name, _ in table.rows] == [RARE_B, RARE_A]
    wer, rde = table.rows[0][1]
    assert (wer.n, wer.method, wer.interval) == (4, "over all responses at once", None)
    assert (rde.estimate, rde.n, rde.interval) == (0, 4, None)
    assert rde.reason == "values that are all the same say nothing of how others would vary"


@pytest.mark.parametrize("names", [[], ["nisqa"], ["nothing"]])
def test_what_cannot_be_computed_is_refused(client: Client, dataset: Dataset, names: list[str]) -> None:
    response = client.post(url("dataset-metrics-compute", dataset), {"names": names})

    assert (response.status_code, Job.objects.exists()) == (422, False)
    assert 'role="alert"' in response.content.decode()


def test_table_is_of_means_with_what_is_missing(dataset: Dataset) -> None:
    for place, response in enumerate(r for r in responses(dataset) if r.system.name == RARE_A):
        MetricScore.objects.create(
            system=response.system, response=response, metric="utmos", version="1", source="imported",
            value=float(place) if place else None, reason=None if place else TEXT(text="too short"),
        )  # fmt: skip

    [(_, [nothing]), (_, [cell])] = metric_table(dataset).rows

    assert nothing is None
    assert (cell.estimate, cell.n, cell.excluded[0].n) == (2.0, 3, 1)
    assert cell.interval.low < 2 < cell.interval.high


def test_csv_has_a_line_per_system_and_metric(client: Client, dataset: Dataset) -> None:
    compute_metrics(dataset, names=["wer", "f0-similarity"], progress=no_progress)

    response = client.get(url("dataset-metrics-table", dataset))

    rows = list(csv.DictReader(io.StringIO(response.content.decode())))
    assert [(row["system"], row["metric"], row["value"]) for row in rows] == [
        (RARE_B, "wer", repr(1 / 3)), (RARE_B, "f0-similarity", ""), (RARE_A, "wer", repr(1 / 3)),
        (RARE_A, "f0-similarity", ""),
    ]  # fmt: skip
    unreadable = "the original cannot be read (No such file or directory); import the dataset again"
    assert (rows[1]["n_without_value"], rows[1]["reason"], rows[1]["reason_code"]) == (
        "4", unreadable, "original_not_read",
    )  # fmt: skip


def test_scores_come_in_by_upload(client: Client, dataset: Dataset) -> None:
    table = f"system,item,metric,value\n{RARE_A},item-0,utmos,3.5\n"

    answer = client.post(url("dataset-metrics-import", dataset), upload(table), follow=True)

    page = answer.content.decode()
    assert "1 came in, 0 were there." in page
    assert "3.500" in page


@pytest.mark.databases
def test_faulty_upload_names_its_rows_and_writes_nothing(client: Client, dataset: Dataset) -> None:
    table = f"system,item,metric,value\n{RARE_A},item-0,utmos,3.5\nNobody,item-0,utmos,1\n"

    answer = client.post(url("dataset-metrics-import", dataset), upload(table))

    assert (answer.status_code, MetricScore.objects.exists()) == (422, False)
    assert "Row 2: The dataset has no system &#x27;Nobody&#x27;." in answer.content.decode()
    assert client.post(url("dataset-metrics-import", dataset), upload("")).status_code == 422


def test_number_of_queries_does_not_grow(client: Client, dataset: Dataset) -> None:
    def n_queries() -> int:
        with CaptureQueriesContext(
            connection,
        ) as queries:
            client.get(url("dataset-metrics", dataset))
        return len(queries)

    compute_metrics(dataset, names=["rde"], progress=no_progress)
    few = n_queries()
    compute_metrics(dataset, names=["wer", "bleu", "chrf"], progress=no_progress)

    assert n_queries() == few


def test_members_look_and_strangers_do_not(client: Client, dataset: Dataset) -> None:
    client.force_login(UserFactory(is_researcher=True))

    assert client.get(url("dataset-metrics", dataset)).status_code == 404
    assert client.post(url("dataset-metrics-compute", dataset), {"names": ["rde"]}).status_code == 404


def sequences(n: int, *, better: int) -> str:
    """`n` pairs of which the positive is likelier in `better`."""
    rows = []
    for pair in range(n):
        for side in ("positive", "negative"):
            likely = (side == "positive") == (pair < better)
            logprobs = [-1.0 if likely else -2.0] * 6
            rows.append({"model": "slm", "pair": str(pair), "side": side, "logprobs": logprobs, "prompt_frames": 2})
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_likelihoods_come_in_and_are_counted(client: Client, dataset: Dataset) -> None:
    empty = client.get(url("dataset-likelihoods", dataset)).content.decode()
    answer = client.post(url("dataset-likelihoods-import", dataset), upload(sequences(8, better=6)), follow=True)
    page = client.get(url("dataset-likelihoods", dataset) + "?delta=4").content.decode()

    assert "No likelihoods yet" in empty
    assert "16 came in, 0 were there." in answer.content.decode()
    assert page.count("0.750") == 3  # global, localized, windowed
    assert "there are no unconditional log-probabilities" in page
    assert "fewer than 25 frames follow the prompt" in answer.content.decode()


@pytest.mark.databases
def test_window_that_is_no_number_is_refused(client: Client, dataset: Dataset) -> None:
    client.post(url("dataset-likelihoods-import", dataset), upload(sequences(2, better=1)))

    page = client.get(url("dataset-likelihoods", dataset) + "?delta=0").content.decode()

    assert "greater than or equal to 1" in page


def test_faulty_likelihoods_are_named(client: Client, dataset: Dataset) -> None:
    answer = client.post(url("dataset-likelihoods-import", dataset), upload('{"model": "m", "pair": "1"}\n'))

    assert (answer.status_code, LikelihoodSequence.objects.exists()) == (422, False)
    assert "Row 1: The column side is empty or missing." in answer.content.decode()
