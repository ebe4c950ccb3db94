"""The voice in which a campaign's instructions are spoken: recordings of one's own, or the packaged one."""

import numpy as np

from campaigns import reasons
from campaigns.control_units.attention_checks.speaking_over import DoesNotFit, trimmed
from campaigns.models import Campaign
from corpus.audio.reading import Sound, read_sound
from corpus.demo.voices import hibari_voice
from protocols.presentation.spoken import Instruction


class Speaker:
    """Says instructions, each once. Where a campaign has recordings, only those: one voice, one language."""

    def __init__(self, campaign: Campaign, *, seed: int) -> None:
        self._recorded = {row.name: row for row in campaign.trap_recordings.select_related("clip")}
        self._seed = seed
        self._said: dict[str, Sound] = {}

    def can_say(self, instruction: Instruction) -> bool:
        return instruction.name in self._recorded if self._recorded else instruction.sentence.isascii()

    def say(self, instruction: Instruction) -> Sound:
        """The sentence without silence at its ends. Raises DoesNotFit where a recording is gone."""
        if instruction.name in self._recorded:
            return self._said.setdefault(instruction.name, self._recording(instruction.name))
        if instruction.sentence not in self._said:
            self._said[instruction.sentence] = self._spoken(instruction.sentence)
        return self._said[instruction.sentence]

    def _recording(self, name: str) -> Sound:
        clip = self._recorded[name].clip
        try:
            with clip.path.open("rb") as file:
                sound = read_sound(file, name="")
        except OSError as error:
            raise DoesNotFit(reasons.RECORDING_NOT_READ(name=name)) from error
        return trimmed(sound, leading_s=clip.leading_silence_s, trailing_s=clip.trailing_silence_s)

    def _spoken(self, sentence: str) -> Sound:
        speech = hibari_voice().speak(sentence, rng=np.random.default_rng(self._seed))
        return Sound(speech.samples[:, np.newaxis], speech.rate, "WAV", "FLOAT")
