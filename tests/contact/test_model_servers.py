"""Model servers of today: one that is as strict as OpenAI, and a hostile one.

The other side: there is no way to OpenAI or Gemini from here, so a local HTTP server (tests/judges/server.py) plays
both. What it checks and says is not our own idea of the protocol: requests are checked against the parameter types of
the `openai` package (Apache-2.0), Python's official client, which OpenAI generates from its specification; replies
and usage are built with that package's response models, and so do not validate unless they are what OpenAI sends.
Refusals are worded as OpenAI documents them, with `type`, `param` and `code`. Nothing here was run against a hosted
model; what a self-hosted one says is tested with llama.cpp (tests/judges/backends/test_small_model.py).

More of what the hostile server does is tested in tests/judges: test_misbehaving_server.py
(whole runs of every kind of judge over replies that are wrong, late or none), test_usefulness.py (replies of no use,
one after the other) and test_busy_servers.py (calls that hang, pauses that are asked for, empty accounts).
"""

import base64
import gzip
import json
import logging
import tracemalloc
import urllib.parse
import zlib
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import partial
from typing import Any, get_type_hints

import pytest
from django.test import Client
from django.urls import reverse
from openai.types.chat import ChatCompletion
from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming
from pydantic import TypeAdapter
from pytest_django import Settings

from accounts.sealing import unsealed
from judges.backends import openai_chat
from judges.backends.contract import JudgeError, JudgeInput
from judges.backends.openai_chat import ChatServer, OpenAIChat
from judges.backends.parameters import Parameters
from judges.language_models.registry import backend_of, change_terms, try_model
from judges.models import Call, LanguageModel, Run
from judges.reasons import REPLY_CONTRADICTING
from judges.runs import worker
from judges.verdicts.files import as_csv, as_jsonl
from tests.factories import UserFactory, make_campaign, make_member
from tests.judges.drafting import make_model
from tests.judges.running import a_judge, a_run, asker, reply_for, worked
from tests.judges.server import Step, completion, fault, raw, serving

__all__ = ["asker"]
PARAMETERS = TypeAdapter(CompletionCreateParamsNonStreaming)
KNOWN = frozenset(get_type_hints(CompletionCreateParamsNonStreaming))
SCHEMA = {
    "type": "object",
    "properties": {"n": {"type": "integer"}},
    "required": ["n"],
    "additionalProperties": False,
}
WANTED = JudgeInput(messages=({"role": "user", "content": "Count."},), schema=SCHEMA)
GOOD = '{"n": 3}'
KEY = "sk-proj-Ab+c/d=E9&Xyz0123456789abcdef"
LIMITED = {"x-ratelimit-limit-requests": "500", "x-ratelimit-remaining-requests": "499"}


def refused(message: str, param: str, code: str) -> tuple[int, dict[str, str], bytes]:
    error = {"message": message, "type": "invalid_request_error", "param": param, "code": code}
    return 400, LIMITED, json.dumps({"error": error}).encode()


def replied(text: str | None, usage: Mapping[str, Any], *, finish: str = "stop", **message: Any) -> bytes:
    """A completion as the official client takes it. Raises pydantic.ValidationError for what is none."""
    made = ChatCompletion.model_validate(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1_795_000_000,
            "model": "gpt-5-2025-08-07",
            "choices": [
                {
                    "index": 0,
                    "finish_reason": finish,
                    "logprobs": None,
                    "message": {"role": "assistant", "content": text, "refusal": None} | message,
                }
            ],
            "usage": usage,
        },
        strict=True,
    )
    return made.model_dump_json().encode()


USAGE = {
    "prompt_tokens": 1000,
    "completion_tokens": 4100,
    "total_tokens": 5100,
    "prompt_tokens_details": {"audio_tokens": 600, "cached_tokens": 100},
    "completion_tokens_details": {"reasoning_tokens": 4000, "audio_tokens": 0},
}


def modern(*, reasons: bool = True, text: str = GOOD, usage: Mapping[str, Any] = USAGE) -> Step:
    """As strict as OpenAI: unknown names, and for a reasoning model `max_tokens` and any temperature but 1."""

    def step(body: dict[str, Any]) -> tuple[int, dict[str, str], bytes]:
        for name in sorted(set(body) - KNOWN):
            return refused(f"Unknown parameter: '{name}'.", name, "unknown_parameter")
        list(
            PARAMETERS.validate_json(json.dumps(body))["messages"]
        )  # pydantic reads these only when they are asked for
        if reasons and "max_tokens" in body:
            why = "is not supported with this model. Use 'max_completion_tokens' instead."
            return refused(f"Unsupported parameter: 'max_tokens' {why}", "max_tokens", "unsupported_parameter")
        if reasons and body.get("temperature", 1) != 1:
            why = "does not support 0 with this model. Only the default (1) value is supported."
            return refused(f"Unsupported value: 'temperature' {why}", "temperature", "unsupported_value")
        if not reasons and "reasoning_effort" in body:
            message = "Unrecognized request argument supplied: reasoning_effort"
            return refused(message, "reasoning_effort", "unknown_parameter")
        return 200, LIMITED, replied(text, usage)

    return step


def backend(url: str, **changes: Any) -> OpenAIChat:
    told = {
        "base_url": url,
        "model": "gpt-5",
        "private_allowed": True,
        "timeout_s": 5.0,
        "attempts": 1,
        "api_key": KEY,
    }
    return OpenAIChat(ChatServer(**(told | changes)))


@pytest.fixture(autouse=True)
def local(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.MODELS_ON_PRIVATE_ADDRESSES = True
    monkeypatch.setattr(openai_chat, "sleep_unless", lambda _is_cancelled, _seconds: None)


REASONING = Parameters("max_completion_tokens", sends_temperature=False, reasoning_effort="low", thinking_tokens=8000)


def test_reasoning_model_takes_what_its_parameters_send() -> None:
    with serving(modern()) as server:
        said = backend(server.url, parameters=REASONING).ask(WANTED)

        [body] = server.asked
    assert (said.status, said.data, said.finish_reason) == ("ok", {"n": 3}, "stop")
    sent = {name: body[name] for name in body if name not in ("model", "messages", "response_format")}
    assert sent == {"max_completion_tokens": 9024, "reasoning_effort": "low"}


def test_every_kind_of_token_is_read() -> None:
    with serving(modern()) as server:
        said = backend(server.url, parameters=REASONING).ask(WANTED)

    assert (said.tokens_in, said.tokens_out) == (1000, 4100)
    assert said.kinds == {"audio_in": 600, "cached_in": 100, "reasoning_out": 4000, "audio_out": 0}


@pytest.mark.parametrize(
    ("usage", "tokens_out"),
    [
        ({"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 5100}, 4100),
        ({"prompt_tokens": 1000, "completion_tokens": 5000, "total_tokens": 6000}, 5000),
        ({"prompt_tokens": 1000, "completion_tokens": 5000, "total_tokens": 0}, 5000),
    ],
)
def test_thinking_that_the_completion_leaves_out_is_billed(usage: dict[str, int], tokens_out: int) -> None:
    with serving(modern(usage=usage)) as server:
        assert backend(server.url, parameters=REASONING).ask(WANTED).tokens_out == tokens_out


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        (Parameters(), "takes no max_tokens: choose max_completion_tokens"),
        (Parameters("max_completion_tokens"), "takes no such temperature: choose to send none"),
        (
            Parameters("max_completion_tokens", sends_temperature=False, extra_body={"top_k": 1}),
            "does not take top_k: take it out of the extra body",
        ),
    ],
)
def test_refused_parameter_is_told_with_what_to_change(parameters: Parameters, said: str) -> None:
    with serving(modern()) as server, pytest.raises(JudgeError, match=said) as caught:
        backend(server.url, parameters=parameters).ask(WANTED)

    assert (caught.value.permanent, len(server.asked)) == (True, 1)


@pytest.mark.parametrize(
    ("message", "parameter"),
    [
        # OpenAI's own, without `param`, as reported in github.com/davidmigloz/langchain_dart/issues/712.
        ("Unrecognized request argument supplied: reasoning_effort", "reasoning effort"),
        # Gemini by OpenAI's protocol, as reported of another name in
        # github.com/Alishahryar1/free-claude-code/issues/542.
        ('Invalid JSON payload received. Unknown name "reasoning_effort": Cannot find field.', "reasoning effort"),
        # vLLM of 2024, as reported in github.com/vllm-project/vllm/pull/10463; the like from Mistral, with code 3001,
        # in github.com/partITech/php-mistral/issues/76.
        ("[{'type': 'extra_forbidden', 'loc': ('body', 'reasoning_effort'), 'input': 'low'}]", "reasoning effort"),
        # Of no server that we could name: the parameter in backticks.
        ("`temperature` is not supported with this model", "temperature"),
    ],
)  # fmt: skip
def test_other_servers_words_are_understood(message: str, parameter: str) -> None:
    told = Parameters(reasoning_effort="low")
    with serving(fault(400, message)) as server, pytest.raises(JudgeError, match=f"takes no such {parameter}"):
        backend(server.url, parameters=told).ask(WANTED)


@pytest.mark.parametrize(
    "body",
    [
        # Gemini by OpenAI's protocol puts the error in a list: github.com/Alishahryar1/free-claude-code/issues/542.
        [{"error": {"code": 400, "message": 'Unknown name "reasoning_effort": Cannot find field.'}}],
        # vLLM of 2024 has none around it: github.com/vllm-project/vllm/pull/10463.
        {
            "object": "error",
            "message": "[{'type': 'extra_forbidden', 'loc': ('body', 'reasoning_effort')}]",
            "code": 400,
        },
        # Mistral's message is a list: github.com/partITech/php-mistral/issues/76.
        {
            "object": "Error",
            "message": [{"type": "extra_forbidden", "loc": ["body", "reasoning_effort"]}],
            "code": 3001,
        },
    ],
    ids=["Gemini", "vLLM", "Mistral"],
)
def test_other_servers_errors_are_found_where_they_put_them(body: Any) -> None:
    told = Parameters(reasoning_effort="low")
    step = raw(400, json.dumps(body).encode())
    with serving(step) as server, pytest.raises(JudgeError, match="takes no such reasoning effort") as caught:
        backend(server.url, parameters=told).ask(WANTED)

    assert "object" not in str(caught.value)  # its words, and not the JSON around them
    assert 'error"' not in str(caught.value)


@pytest.mark.django_db
def test_test_of_a_model_finds_what_it_takes_and_offers_it(client: Client) -> None:
    user = UserFactory(is_researcher=True)
    client.force_login(user)
    with serving(modern()) as server:
        row = make_model(user, server.url, model="gpt-5", api_key=KEY)

        trial = try_model(row)
        page = client.post(reverse("model-test", args=[row.pk]), follow=True)

    assert (trial.changed, trial.parameters) == (True, Parameters("max_completion_tokens", sends_temperature=False))
    assert page.redirect_chain[-1][0].startswith(reverse("model-terms", args=[row.pk]))
    assert page.context["form"].initial["limit_name"] == "max_completion_tokens"
    assert row.parameters == Parameters()  # nothing is changed until somebody keeps it


@pytest.mark.django_db
def test_model_is_added_with_what_the_list_says_of_it(client: Client) -> None:
    client.force_login(UserFactory(is_researcher=True))
    fields = {"title": "GPT", "base_url": "https://api.openai.com/v1", "model": "gpt-5", "timeout_s": "60"}

    client.post(reverse("models"), fields | {"extra_headers": "OpenAI-Project: proj_secret"})

    row = LanguageModel.objects.get()
    price = row.prices.get()
    assert row.parameters == Parameters("max_completion_tokens", sends_temperature=False, thinking_tokens=8000)
    assert (price.usd_in, price.usd_cached_in, price.usd_out) == (Decimal("1.25"), Decimal("0.125"), 10)
    assert json.loads(unsealed(row.sealed_headers)) == {"OpenAI-Project": "proj_secret"}
    assert "proj_secret" not in row.sealed_headers + client.get(reverse("models")).content.decode()


def priced(row: LanguageModel, **prices: Any) -> LanguageModel:
    limits = {"at_once": 1, "requests_per_minute": None, "tokens_per_minute": None}
    change_terms(row, limits=limits, parameters=REASONING, headers=None, prices=prices, user=row.created_by)
    return row


@pytest.mark.django_db
def test_each_kind_of_token_has_its_price_on_the_bill_and_the_pages(
    asker: object, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "backend_of", partial(backend_of, attempts=1))
    campaign = make_campaign(units=1, protocol="hcot")
    with serving(modern(text=json.dumps(reply_for(campaign)))) as server:
        model = make_model(campaign.created_by, server.url, model="gpt-5", api_key=KEY)
        priced(model, usd_in=2, usd_audio_in=30, usd_cached_in=1, usd_out=10, usd_reasoning_out=20)
        run = worked(a_run(campaign, a_judge(campaign, "asker", model=model)))

    call = Call.objects.get()
    usd = Decimal(300 * 2 + 600 * 30 + 100 * 1 + 100 * 10 + 4000 * 20) / 10**6
    assert (call.cost_usd, run.spent_usd, call.cost_is_estimate, call.finish_reason) == (usd, usd, False, "stop")
    client.force_login(make_member(campaign, "researcher", is_researcher=True))
    verdict = client.get(reverse("run-verdict", args=[campaign.slug, run.pk, run.verdicts.get().pk]))
    assert "4,000 for thinking" in verdict.content.decode()
    assert "4,000 for thinking" in client.get(reverse("run", args=[campaign.slug, run.pk])).content.decode()


@pytest.mark.django_db
def test_reply_cut_off_at_the_limit_is_counted_and_told(
    asker: object, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "backend_of", partial(backend_of, attempts=1))
    campaign = make_campaign(units=1, protocol="hcot")
    with serving(raw(200, replied("", USAGE, finish="length"))) as server:
        model = make_model(campaign.created_by, server.url)
        run = worked(a_run(campaign, a_judge(campaign, "asker", model=model)))

    client.force_login(make_member(campaign, "researcher", is_researcher=True))
    verdict = client.get(reverse("run-verdict", args=[campaign.slug, run.pk, run.verdicts.get().pk]))
    assert (run.verdicts.get().status, Call.objects.get().finish_reason) == ("unparsed", "length")
    assert "cut off at the token limit" in verdict.content.decode()
    assert "cut off at the token limit" in client.get(reverse("run", args=[campaign.slug, run.pk])).content.decode()


IMPOSSIBLE = {
    "2**31 - 2 tokens of reply": {"prompt_tokens": 1000, "completion_tokens": 2**31 - 2, "total_tokens": 2**31 - 1},
    "more than any number": {"prompt_tokens": 10**40, "completion_tokens": 10**40},
    "a total less than the question": {"prompt_tokens": 1000, "total_tokens": 0},
    "less than none": {"prompt_tokens": -1000, "completion_tokens": -5},
    "thinking beyond the limit": {
        "prompt_tokens": 1000,
        "completion_tokens": 2**31 - 2,
        "completion_tokens_details": {"reasoning_tokens": 2**31 - 1},
    },
}


@pytest.mark.django_db
@pytest.mark.parametrize("what", IMPOSSIBLE)
@pytest.mark.parametrize("budget", [None, Decimal(9)])
def test_counts_that_cannot_be_are_not_told_and_what_was_held_back_may_be_billed(
    what: str, budget: Decimal | None, asker: object, client: Client
) -> None:
    campaign = make_campaign(units=6, protocol="hcot")
    said = [json.dumps(reply_for(campaign) | {"reasoning": str(n)}) for n in range(6)]
    steps = [completion(text, usage=IMPOSSIBLE[what]) for text in said]
    with serving(*steps) as server:
        model = priced(make_model(campaign.created_by, server.url), usd_in=1, usd_out=600)
        run = worked(a_run(campaign, a_judge(campaign, "asker", model=model), budget_usd=budget))
        n_asked = len(server.asked)

    calls = list(Call.objects.all())
    assert n_asked == len(calls) == (1 if budget else 6)
    assert {(call.status, call.tokens_out, call.cost_usd) for call in calls} == {("ok", None, None)}
    assert {"more tokens than there can be" in call.message for call in calls} == {True}
    assert (run.spent_usd, run.reservations.count()) == (0, 0)
    assert 5.4 * n_asked < run.unconfirmed_usd < 6 * n_asked  # 9,024 tokens of reply for each
    assert run.status == ("over_budget" if budget else "done")
    assert ("no budget can be kept" in str(run.message)) == bool(budget)
    client.force_login(make_member(campaign, "researcher", is_researcher=True))
    verdict = run.verdicts.order_by("pk")[0]
    page = reverse("run-verdict", args=[campaign.slug, run.pk, verdict.pk])
    pages = [reverse("runs", args=[campaign.slug]), reverse("run", args=[campaign.slug, run.pk]), page]
    assert [client.get(page).status_code for page in pages] == [200, 200, 200]


ECHOES: Mapping[str, Callable[[str], str]] = {
    "as it is": str,
    "in a URL": lambda key: urllib.parse.quote(key, safe=""),
    "in JSON": lambda key: json.dumps({"Authorization": f"Bearer {key}"}),
    "in base64": lambda key: base64.b64encode(f"Bearer {key}".encode()).decode(),
    "escaped": lambda key: "".join(f"\\u{ord(one):04x}" for one in key),
}


def traces(text: str) -> list[str]:
    """Pieces of the key, in whatever form, that the text still holds."""
    forms = [KEY, *(echo(KEY) for echo in ECHOES.values())]
    return [form[at : at + 12] for form in forms[:3] for at in range(3, len(KEY) - 12) if form[at : at + 12] in text]


@pytest.mark.django_db
@pytest.mark.parametrize("form", ECHOES)
@pytest.mark.parametrize("status", [401, 302, 200])
def test_key_that_is_sent_back_is_kept_and_shown_nowhere(
    form: str,
    status: int,
    asker: object,
    client: Client,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setattr(worker, "backend_of", partial(backend_of, attempts=1))
    campaign, echo = make_campaign(units=1, protocol="hcot"), ECHOES[form](KEY)
    steps = {
        401: fault(401, f"Incorrect API key provided: {echo}", WWW_Authenticate=f"Bearer {urllib.parse.quote(KEY)}"),
        302: raw(302, echo.encode(), Location=f"https://other.example/{urllib.parse.quote(KEY, safe='')}?key={KEY}"),
        200: completion(json.dumps(reply_for(campaign) | {"reasoning": f"My key is {echo}."}), model=KEY),
    }
    user = make_member(campaign, "researcher", is_researcher=True)
    client.force_login(user)
    with serving(steps[status]) as server:
        model = make_model(user, server.url, api_key=KEY, shared=True)
        run = worked(a_run(campaign, a_judge(campaign, "asker", model=model)))
        tested = client.post(reverse("model-test", args=[model.pk]), follow=True).content.decode()

    verdict = run.verdicts.get()
    pages = [
        reverse("run", args=[campaign.slug, run.pk]),
        reverse("run-verdicts", args=[campaign.slug, run.pk]),
        reverse("run-verdict", args=[campaign.slug, run.pk, verdict.pk]),
        f"/api/v1/campaigns/{campaign.slug}/runs/{run.pk}/",
        f"/api/v1/campaigns/{campaign.slug}/runs/{run.pk}/verdicts/",
    ]
    shown = [client.get(page) for page in pages]
    assert [response.status_code for response in shown] == [200] * len(pages)
    held = json.dumps([list(Run.objects.values()), list(Call.objects.values()), verdict.said], default=str)
    texts = [tested, held, *as_csv(run), *as_jsonl(run), *(page.content.decode() for page in shown), caplog.text]
    assert [found for text in texts for found in traces(text)] == []
    assert "[secret]" in held


@pytest.mark.django_db
def test_headers_of_a_model_are_sent_and_masked_like_its_key() -> None:
    user, secret = UserFactory(), "tenant-0123456789-secret"
    with serving(fault(403, f"tenant {secret} is not known")) as server:
        row = make_model(user, server.url)
        limits = {"at_once": 1, "requests_per_minute": None, "tokens_per_minute": None}
        change_terms(row, limits=limits, parameters=REASONING, headers={"X-Tenant": secret}, prices={}, user=user)

        with pytest.raises(JudgeError, match=r"tenant \[secret\] is not known"):
            try_model(row)

    assert server.headers[0]["X-Tenant"] == secret


def bomb(layers: int, size: int) -> bytes:
    body = b" " * size
    for _layer in range(layers):
        body = gzip.compress(body, 9)
    return body


@pytest.mark.parametrize(
    ("body", "encoding", "said"),
    [
        (lambda: bomb(2, 300_000_000), "gzip, gzip", "compressed in a way that is not read"),
        (lambda: bomb(1, 300_000_000), "gzip", "longer than 4 MB"),
        (lambda: zlib.compress(b" " * 300_000_000), "deflate", "longer than 4 MB"),
        (lambda: b"\x0b\x02\x80", "br", "compressed in a way that is not read"),
        (lambda: bomb(1, 1000)[:20], "gzip", "cannot be read"),
    ],
    ids=["gzip twice", "gzip", "deflate", "br", "gzip cut off"],
)
def test_compressed_body_is_decoded_within_its_limit(body: Callable[[], bytes], encoding: str, said: str) -> None:
    with serving(raw(200, body(), Content_Encoding=encoding)) as server:
        asking = backend(server.url)
        tracemalloc.start()
        with pytest.raises(JudgeError, match=said):
            asking.ask(WANTED)
        _now, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()

    assert server.headers[0]["Accept-Encoding"] == "identity"
    assert peak < 16_000_000


@pytest.mark.parametrize("encoding", ["gzip", "x-gzip"])
def test_server_that_compresses_all_the_same_is_read(encoding: str) -> None:
    with serving(raw(200, gzip.compress(replied(GOOD, USAGE)), Content_Encoding=encoding)) as server:
        assert backend(server.url).ask(WANTED).data == {"n": 3}


def test_redirect_says_where_it_leads_and_what_to_do() -> None:
    told = r"answered 308: it sends to https://other\.example/v2/chat, which is not followed\. If you trust"
    step = raw(308, b"", Location="https://me:pw@other.example/v2/chat?token=1#x")
    with serving(step) as server, pytest.raises(JudgeError, match=told) as caught:
        backend(server.url).ask(WANTED)

    assert caught.value.permanent


@pytest.mark.parametrize(
    "message",
    [
        {"content": '<think>{"n": 1}</think>{"n": 3}'},
        {"content": GOOD, "reasoning_content": '{"n": 1}'},
        {"content": GOOD, "reasoning": '{"n": 1}'},
        {"content": [{"type": "thinking", "thinking": '{"n": 1}'}, {"type": "text", "text": GOOD}]},
        {"content": '<|channel|>analysis<|message|>{"n": 1}<|end|><|channel|>final<|message|>{"n": 3}'},
    ],
)
def test_thinking_is_no_answer_wherever_it_stands(message: dict[str, Any]) -> None:
    body = {"choices": [{"message": message, "finish_reason": "stop"}]}
    with serving(raw(200, json.dumps(body).encode())) as server:
        assert backend(server.url).ask(WANTED).data == {"n": 3}


def test_draft_and_final_answer_that_differ_are_no_answer() -> None:
    with serving(raw(200, replied('Draft: {"n": 1}\nFinal:\n```json\n{"n": 2}\n```', USAGE))) as server:
        said = backend(server.url).ask(WANTED)

    assert (said.status, said.problem) == ("unparsed", REPLY_CONTRADICTING())


@pytest.mark.django_db
def test_test_of_a_model_does_not_tell_what_an_internal_name_leads_to(client: Client, settings: Settings) -> None:
    settings.MODELS_ON_PRIVATE_ADDRESSES = False
    user = UserFactory(is_researcher=True)
    client.force_login(user)
    row = make_model(user, "http://localhost:9/v1")

    page = client.post(reverse("model-test", args=[row.pk]), follow=True).content.decode()

    assert "localhost is in a private network" in page
    assert "127.0.0.1" not in page
    assert "::1" not in page
