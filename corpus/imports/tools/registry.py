"""The tools whose files are recognised. A new one is a module in `formats`, and a line here."""

from pathlib import Path
from typing import IO

from corpus.imports.tools.formats.annotation_tools import label_studio, potato
from corpus.imports.tools.formats.audio_folders import full_duplex_bench, hugging_face, tau_voice
from corpus.imports.tools.formats.listening_tests import p808, p808_pairs, pymushra, webmushra
from corpus.imports.tools.formats.metric_scores import lm_eval, versa
from corpus.imports.tools.formats.pairwise import arena_votes, audiojudge, lmarena, speakbench_wide
from corpus.imports.tools.head import head_of
from corpus.imports.tools.recognised import Recognised, Tool

#: The first that recognises a file reads it.
TOOLS: tuple[Tool, ...] = (
    arena_votes.TOOL, lmarena.TOOL, label_studio.TOOL, potato.TOOL, webmushra.TOOL, pymushra.TOOL, p808_pairs.TOOL,
    p808.TOOL, versa.TOOL, lm_eval.TOOL, audiojudge.TOOL, speakbench_wide.TOOL, tau_voice.TOOL,
    full_duplex_bench.TOOL, hugging_face.TOOL,
)  # fmt: skip


def tool_of(file: IO[bytes]) -> Tool | None:
    """The tool that wrote the file, by its beginning; the file is left there."""
    head = head_of(file)
    return next((tool for tool in TOOLS if tool.recognises(head)), None)


def names_no_sound(file: IO[bytes]) -> bool:
    """Whether the file is a tool's that names no audio, or holds it itself; it is left at its beginning."""
    head = head_of(file)
    return bool(head.sounds) or any(tool.has_no_sound for tool in TOOLS if tool.recognises(head))


def recognised(path: Path) -> Recognised | None:
    """The file read by its tool; None where it is of none. Raises UnreadableManifest."""
    with path.open("rb") as file:
        tool = tool_of(file)
    return tool.open(path) if tool else None
