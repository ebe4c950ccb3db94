"""A model that reads transcripts and hears nothing: TRACE's LLM judge, MTalk-Bench's transcribed evaluation."""

from dataclasses import replace

from judges.kinds.contract import Case, Kind, Opinion, Settings, Tools
from judges.kinds.text_models.material import messages, turns
from judges.kinds.text_models.reading import OF_MODEL, case_opinion
from judges.kinds.text_models.transcripts import OF_WORDS, TRANSCRIPT, TRANSCRIPTS, why_nothing_known, words
from protocols.judging import judge_instructions

READS = (
    "You do not hear the recordings: you read what was said in them. Where a question is about how something "
    "sounds, answer what is most likely from the words, and say in your reasoning that it is a guess."
)


def _judge(case: Case, settings: Settings, tools: Tools) -> Opinion:
    known = {turn: words(turn.spoken, settings, tools) for turn in turns(case)}
    said = {"words": [{"who": turn.who, "turn": turn.n, **found.for_prompt} for turn, found in known.items()]}
    if why := why_nothing_known(known.items()):
        return Opinion("error", message=why, said=said)
    instructions = "\n\n".join([judge_instructions(case.protocol, len(case.responses)), READS, OF_WORDS])
    put = messages(instructions, case, lambda turn: known[turn].for_prompt)
    return replace(case_opinion(case, put, settings, tools), said=said)


TRANSCRIPT_LLM = Kind(
    name="transcript_llm",
    version="1",
    title="Language model, transcripts",
    summary="A language model reads what was said, hears nothing, and answers the protocol's questions.",
    judge=_judge,
    fits=lambda _protocol, _settings: None,
    settings=(TRANSCRIPTS, *OF_MODEL),
    asks_model=True,
    calls=lambda _protocol, _settings: 1,
    features=(TRANSCRIPT,),
    source="TRACE/HCoT §3.4 and App. D (LLM judge); MTalk-Bench App. D.3.2",
)
