"""Decoding from start to end without a single seek on the way."""

from collections.abc import Iterator

import numpy as np
import soundfile
from numpy.typing import NDArray

from corpus.audio.blocks import BLOCK_FRAMES

UNDECLARED_FRAMES = 2**63 - 1  # SF_COUNT_MAX, given for streams written as they were made


class ForwardSoundFile(soundfile.SoundFile):  # type: ignore[misc]  # soundfile ships no types
    """A sound file that is read once, forwards.

    soundfile seeks to where each read ended. MP3 and Opus decode differently after a seek, audibly so, and a
    stream of undeclared length cannot seek to its end; a file that says it cannot seek is left alone.
    """

    def seekable(self) -> bool:
        return False

    def decoded_blocks(self) -> Iterator[NDArray[np.float32]]:
        """Yield float32 blocks of shape (frames > 0, channels) to the end of the file.

        Raises soundfile.LibsndfileError where the data are damaged.
        """
        while True:
            block = self.read(out=np.empty((BLOCK_FRAMES, self.channels), dtype=np.float32))
            if len(block):
                yield block
            if len(block) < BLOCK_FRAMES:
                return
