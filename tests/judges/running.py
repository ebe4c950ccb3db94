"""Runs for tests: a toy kind that asks a model, a server's replies, and a worker in this process."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from campaigns.models import Campaign
from judges.backends.contract import JudgeInput
from judges.definitions.judges import make_judge
from judges.kinds import KINDS
from judges.kinds.contract import Case, Kind, Opinion, Setting, Settings, Tools
from judges.models import Judge, LanguageModel, Run
from judges.runs.lifecycle import Plan, start_run
from judges.runs.worker import work_in_slot
from protocols.judging import as_judged, judge_instructions, judge_schema
from protocols.questions import questions
from tests.judges.server import Step, completion


def _ask_once(case: Case, settings: Settings, tools: Tools) -> Opinion:
    texts = [f"{place}: {turn.text}" for place, said in enumerate(case.responses, 1) for turn in said]
    asked = "\n".join(
        [judge_instructions(case.protocol, len(case.responses)), *(t.text for t in case.prompt), *texts]
    )
    schema = judge_schema(case.protocol, len(case.responses))
    for _call in range(int(settings["calls"])):
        reply = tools.ask(JudgeInput(({"role": "user", "content": asked},), schema))
    data = {name: str(value) for name, value in reply.data.items()}
    reasoning = data.pop("reasoning", "")
    return Opinion(reply.status, data if reply.status in ("ok", "repaired") else {}, reasoning)


ASKER = Kind(
    name="asker",
    version="1",
    title="Asker",
    summary="Asks a model once.",
    judge=_ask_once,
    fits=lambda _protocol, _settings: "",
    settings=(Setting("calls", "Calls", 1, least=1, most=5),),
    asks_model=True,
    calls=lambda _protocol, settings: int(settings["calls"]),
)


@contextmanager
def kind_added(kind: Kind) -> Iterator[Kind]:
    """As a line in the registry would."""
    held = dict(KINDS)
    KINDS[kind.name] = kind  # type: ignore[index]
    try:
        yield kind
    finally:
        KINDS.clear()  # type: ignore[attr-defined]
        KINDS.update(held)  # type: ignore[attr-defined]


@pytest.fixture
def asker() -> Iterator[Kind]:
    with kind_added(ASKER) as kind:
        yield kind


def a_judge(
    campaign: Campaign, kind: str = "random", *, model: LanguageModel | None = None, **settings: Any
) -> Judge:
    return make_judge(
        KINDS[kind], title=kind.title(), settings=settings, language_model=model, user=campaign.created_by
    )


def a_run(campaign: Campaign, judge: Judge, **plan: Any) -> Run:
    return start_run(campaign, judge, plan=Plan(**plan), user=campaign.created_by)


def worked(run: Run, *, threads: int = 0, slice_s: float = 20.0) -> Run:
    """The run after a worker had one turn at each worker slot."""
    for pk in run.worker_slots.values_list("pk", flat=True):
        work_in_slot(pk, threads=threads, slice_s=slice_s)
    run.refresh_from_db()
    return run


def reply_for(campaign: Campaign, **answers: str) -> Mapping[str, str]:
    """A whole reply to the campaign's protocol: the first choice everywhere, but for `answers`."""
    n = {"pair": 2, "single": 1}.get(campaign.protocol.unit, 2)
    protocol = replace(as_judged(campaign.protocol), item_criteria=False, criteria_only_if={})
    first = {q.name: "x" if q.kind.is_written else q.kind.values[0] for q in questions(protocol, n)}
    return {"reasoning": "I heard it."} | first | answers


def saying(campaign: Campaign, **answers: str) -> Step:
    """A whole reply, each time with reasons of its own, as a model has them that listens."""
    times = count(1)

    def step(body: dict[str, Any]) -> tuple[int, dict[str, str], bytes] | None:
        reply = dict(reply_for(campaign, **answers)) | {"reasoning": f"I heard it, {next(times)}."}
        return completion(json.dumps(reply))(body)

    return step
