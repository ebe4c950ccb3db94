"""What a run would take, where nothing was measured yet and where everything was."""

from decimal import Decimal

import pytest

from campaigns.models import Campaign
from corpus.models import Clip
from judges.cases import feature_lookup
from judges.kinds.text_models.trace import TRACE
from judges.language_models.prices import set_terms
from judges.models import Run
from judges.runs.estimates import USUAL_TOKENS_IN, USUAL_TOKENS_OUT, Estimate, estimate
from measurements.clip_features.rows import keep_feature, sources
from measurements.features.contract import Feature
from measurements.features.registry import extractors
from measurements.models import ClipFeature
from tests.factories import make_campaign
from tests.judges.drafting import make_model
from tests.judges.kinds.reading import features
from tests.judges.running import a_judge

pytestmark = pytest.mark.django_db
VERDICTS = 2 * 7


@pytest.fixture(autouse=True)
def deaf(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody listens to anything to plan a run."""

    def listen(*_args: object) -> None:
        raise AssertionError("a clip was listened to")

    monkeypatch.setattr(feature_lookup, "ensure_features", listen)
    monkeypatch.setattr(feature_lookup, "extract", listen)


def estimated(campaign: Campaign, **settings: object) -> Estimate:
    model = make_model(campaign.created_by)
    set_terms(
        model, at_once=1, requests_per_minute=None, tokens_per_minute=None,
        usd_in=Decimal(10), usd_out=Decimal(100), user=campaign.created_by,
    )  # fmt: skip
    judge = a_judge(campaign, "trace", model=model, **settings)
    return estimate(campaign, judge, Run(campaign=campaign, judge=judge, orders="both"))


@pytest.mark.databases
def test_where_nothing_is_extracted_the_kind_says_how_often_it_asks_and_prompts_are_of_usual_length() -> None:
    found = estimated(make_campaign(units=7))

    calls = 3 * VERDICTS
    tokens = (calls * USUAL_TOKENS_IN, calls * USUAL_TOKENS_OUT)
    assert (found.verdicts, found.calls, found.tokens_in, found.tokens_out) == (VERDICTS, calls, *tokens)
    assert found.cost_usd == (10 * tokens[0] + 100 * tokens[1]) / Decimal(10**6)
    assert not ClipFeature.objects.exists()


def test_asked_once_for_all_it_is_a_third_of_the_calls() -> None:
    assert estimated(make_campaign(units=7), calls="together").calls == VERDICTS


def test_where_features_are_there_the_prompts_themselves_are_counted() -> None:
    campaign = make_campaign(units=7)
    known = extractors(sources())
    for clip in Clip.objects.all():
        for name, feature in features().items():
            if name in TRACE.features and feature.value is not None:
                keep_feature(clip, Feature(name, known[name].version, "ok", feature.value), seconds=0.0)

    found = estimated(campaign)

    assert found.calls == 3 * VERDICTS
    assert found.tokens_in != found.calls * USUAL_TOKENS_IN
    assert 200 < found.tokens_in / found.calls < 4000
