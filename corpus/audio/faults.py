"""What is wrong with a clip that can be taken all the same, told from what was measured on it."""

from typing import Literal, Protocol

#: Above these a clip is louder than anything that is mastered: over full scale between samples, or on the whole.
LOUDEST_PEAK_DBTP, LOUDEST_LUFS = 0.0, -5.0
#: Of its samples. A clip with a few at full scale is common; one with so many is distorted.
MOST_CLIPPED = 0.01

Fault = Literal["silent", "clipped", "loud"]


class Measured(Protocol):
    """An audit, or a kept clip."""

    @property
    def seconds(self) -> float: ...
    @property
    def rate(self) -> int: ...
    @property
    def channels(self) -> int: ...
    @property
    def integrated_lufs(self) -> float | None: ...
    @property
    def true_peak_dbtp(self) -> float | None: ...
    @property
    def clipped_samples(self) -> int: ...
    @property
    def leading_silence_s(self) -> float: ...


def faults_of(clip: Measured) -> list[Fault]:
    """Which of the three it is; silence from end to end is all leading silence."""
    if clip.leading_silence_s >= clip.seconds:
        return ["silent"]
    faults: list[Fault] = []
    if clip.clipped_samples >= MOST_CLIPPED * clip.seconds * clip.rate * clip.channels:
        faults.append("clipped")
    peak, level = clip.true_peak_dbtp, clip.integrated_lufs
    if (peak is not None and peak > LOUDEST_PEAK_DBTP) or (level is not None and level > LOUDEST_LUFS):
        faults.append("loud")
    return faults
