"""A judge asks a real language model, over a real server: what is sent is understood, and what comes is read."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from pytest_django import Settings

from corpus.models import ResponseTurn
from judges.backends.contract import JudgeInput
from judges.backends.openai_chat import ChatServer, OpenAIChat
from judges.models import Call
from protocols import SHIPPED
from protocols.judging import judge_schema
from tests.factories import make_campaign
from tests.judges.backends.small_model import NAME, small_model, why_absent
from tests.judges.drafting import make_model
from tests.judges.running import a_judge, a_run, worked

pytestmark = pytest.mark.skipif(bool(why_absent()), reason=why_absent())


MOST_TOKENS = 300


def whole(raw: str) -> dict[str, Any]:
    """What was written, if it came to an end: on another processor so small a model may go on and on."""
    try:
        said: dict[str, Any] = json.loads(raw)
    except ValueError:
        return {}
    return said


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with small_model() as address:
        yield address


@pytest.mark.django_db
def test_a_run_of_the_transcript_judge_gets_and_keeps_the_answer_of_a_real_model(
    url: str, settings: Settings
) -> None:
    settings.MODELS_ON_PRIVATE_ADDRESSES = True
    campaign = make_campaign(units=1, protocol="blind_overall")
    ResponseTurn.objects.update(text="The capital of France is Paris.")
    model = make_model(campaign.created_by, url, model=NAME, timeout_s=120)

    run = worked(
        a_run(campaign, a_judge(campaign, "transcript_llm", model=model, max_tokens=MOST_TOKENS)), slice_s=120
    )

    verdict, call = run.verdicts.get(), Call.objects.get()
    said = whole(call.raw)
    assert (run.status, call.status, call.model, call.attempts) == ("done", verdict.status, NAME, 1)
    assert (verdict.status, call.data) == ("ok" if said else "unparsed", said)
    answers = [said["overall"]] if said else []
    assert [row.value for row in verdict.answers.all()] == [{"1": "a", "2": "b"}.get(it, it) for it in answers]
    assert verdict.reasoning == said.get("reasoning", "")
    # The prompt is some hundred tokens long, and the server counted them.
    assert 300 < (call.tokens_in or 0) < 1500
    assert 0 < (call.tokens_out or 0) <= MOST_TOKENS


def test_a_reply_that_a_real_server_cuts_short_is_unparsed(url: str) -> None:
    schema = judge_schema(SHIPPED["acr"], 1)
    chat = OpenAIChat(ChatServer(base_url=url, model=NAME, private_allowed=True))

    reply = chat.ask(JudgeInput(({"role": "user", "content": "Rate it."},), schema, max_tokens=5))

    chat.close()
    assert (reply.status, reply.data, reply.tokens_out) == ("unparsed", {}, 5)
    assert reply.raw.startswith("{")
