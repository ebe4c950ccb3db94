from dataclasses import replace

from judges.kinds import KINDS
from judges.kinds.contract import Case, Feature, JudgeInput, JudgeOutput, Shot, Sound, Spoken
from protocols import SHIPPED, Protocol, read_answers
from protocols.judging import as_judged
from tests.cases import each

N_RESPONSES = {"pair": 2, "single": 1, "item": 3}


class NoTools:
    """Whoever does not listen needs nothing."""

    def ask(self, _wanted: JudgeInput, /) -> JudgeOutput:
        raise AssertionError("a baseline asked a model")

    def features(self, _sound: Sound, /) -> dict[str, Feature]:
        raise AssertionError("a baseline listened")

    def shots(self, _case: Case, _n: int, /) -> tuple[Shot, ...]:
        raise AssertionError("a baseline looked at labels")


def a_case(protocol: Protocol, *, seed: int = 0) -> Case:
    responses = tuple((Spoken(f"answer {place}"),) for place in range(N_RESPONSES[protocol.unit]))
    return Case(protocol, (Spoken("a question"),), responses, seed=seed)


FITTING = [
    (kind, name) for kind in ("random", "always_first") for name in SHIPPED if not KINDS[kind].fits(SHIPPED[name], {})
]


@each("kind, name", FITTING)
def test_a_baseline_answers_every_protocol_that_it_fits(kind: str, name: str) -> None:
    protocol = replace(SHIPPED[name], item_criteria=False, criteria_only_if={})
    case = a_case(protocol)

    opinion = KINDS[kind].judge(case, {}, NoTools())

    assert opinion.status == "ok"
    assert read_answers(as_judged(protocol), opinion.answers, n_responses=len(case.responses))


def test_random_gives_every_answer_with_the_same_chance() -> None:
    protocol = SHIPPED["untyped_tie"]
    said = [
        KINDS["random"].judge(a_case(protocol, seed=seed), {}, NoTools()).answers["overall"] for seed in range(600)
    ]

    assert {value: 150 < said.count(value) < 250 for value in set(said)} == {"1": True, "2": True, "tie": True}


def test_random_says_the_same_of_the_same_case() -> None:
    case = a_case(SHIPPED["hcot"], seed=7)

    assert KINDS["random"].judge(case, {}, NoTools()) == KINDS["random"].judge(case, {}, NoTools())


def test_always_the_first_prefers_the_first_everywhere() -> None:
    answers = KINDS["always_first"].judge(a_case(SHIPPED["hcot"]), {}, NoTools()).answers

    assert set(answers.values()) == {"1"}


def test_always_the_first_does_not_fit_single_responses() -> None:
    assert KINDS["always_first"].fits(SHIPPED["rubric"], {})
