"""A judge asks a real language model, over a real server: what is sent is understood, and what comes is read."""

import json
from collections.abc import Iterator, Mapping

import pytest

from campaigns.protocols import SHIPPED, read_answers
from judges.backends.contract import JudgeInput, JudgeOutput
from judges.backends.openai_chat import ChatServer, OpenAIChat
from judges.kinds.contract import Case, Feature, Shot, Sound, Spoken
from judges.kinds.transcript_llm import TRANSCRIPT_LLM
from tests.judges.small_model import NAME, small_model, why_absent

pytestmark = pytest.mark.skipif(bool(why_absent()), reason=why_absent())


class Asking:
    """Asks the model, and keeps what it said."""

    def __init__(self, chat: OpenAIChat) -> None:
        self.chat = chat
        self.replies: list[JudgeOutput] = []

    def ask(self, wanted: JudgeInput, /) -> JudgeOutput:
        self.replies.append(self.chat.ask(wanted))
        return self.replies[-1]

    def features(self, _sound: Sound, /) -> Mapping[str, Feature]:
        raise AssertionError("there is nothing to listen to")

    def shots(self, _case: Case, _n: int, /) -> tuple[Shot, ...]:
        return ()


@pytest.fixture(scope="module")
def chat() -> Iterator[OpenAIChat]:
    with small_model() as url:
        asking = OpenAIChat(ChatServer(base_url=url, model=NAME, private_allowed=True))
        yield asking
        asking.close()


PROTOCOL = SHIPPED["blind_overall"]
CASE = Case(
    PROTOCOL,
    (Spoken("What is the capital of France?"),),
    ((Spoken("The capital of France is Paris."),), (Spoken("I like trains."),)),
)


def test_the_transcript_judge_gets_an_answer_from_a_real_model(chat: OpenAIChat) -> None:
    tools = Asking(chat)

    opinion = TRANSCRIPT_LLM.judge(CASE, {"max_tokens": 400}, tools)

    (reply,) = tools.replies
    assert (opinion.status, reply.model, reply.attempts) == ("ok", NAME, 1)
    assert opinion.answers == {"overall": json.loads(reply.raw)["overall"]}
    assert read_answers(PROTOCOL, opinion.answers, n_responses=2)
    # The prompt is a few hundred tokens long, and the server counted them.
    assert 300 < (reply.tokens_in or 0) < 1500
    assert 0 < (reply.tokens_out or 0) < 400


def test_a_reply_that_a_real_server_cuts_short_is_unparsed_and_kept(chat: OpenAIChat) -> None:
    tools = Asking(chat)

    opinion = TRANSCRIPT_LLM.judge(CASE, {"max_tokens": 5}, tools)

    (reply,) = tools.replies
    assert (opinion.status, opinion.answers) == ("unparsed", {})
    assert reply.raw.startswith("{")
    assert reply.tokens_out == 5
