"""Clips that are silent, clipped or far too loud: warnings of an import, system by system."""

from collections import defaultdict

from corpus.audio.faults import LOUDEST_LUFS, LOUDEST_PEAK_DBTP, MOST_CLIPPED, Fault, faults_of
from corpus.imports import reasons
from corpus.imports.checks.result import Checked
from corpus.imports.plan import counted
from infrastructure.wording.reasons import Reason

SAID: dict[Fault, Reason] = {
    "silent": reasons.CLIPS_SILENT(),
    "clipped": reasons.CLIPS_CLIPPED(percent=round(100 * MOST_CLIPPED)),
    "loud": reasons.CLIPS_TOO_LOUD(peak=f"{LOUDEST_PEAK_DBTP:g}", lufs=f"{LOUDEST_LUFS:g}"),
}
PROMPTS = "the prompts"
MOST_NAMED = 10


def warn_of_clips(checked: Checked) -> None:
    """Add a warning to the plan for each fault and system, with the clips and where they are named."""
    whose = _whose(checked)
    found: dict[tuple[Fault, str], list[str]] = defaultdict(list)
    for path, clip in checked.clips.items():
        for fault in faults_of(clip.audit):
            for owner in whose[path]:
                found[fault, owner].append(path)
    rows = checked.plan.audio_paths
    for (fault, owner), paths in sorted(found.items()):
        of = counted(sum(owner in owners for owners in whose.values()), "clip")
        some = ", ".join(f"{path} ({checked.plan.place} {rows[path]})" for path in paths[:MOST_NAMED])
        more = f" and {len(paths) - MOST_NAMED} more" if len(paths) > MOST_NAMED else ""
        why = reasons.CLIP_FAULTY if len(paths) == 1 else reasons.CLIPS_FAULTY
        message = why(n=len(paths), clips=of, owner=owner, fault=SAID[fault], some=f"{some}{more}")
        checked.plan.warn(min(rows[path] for path in paths), "audio", message)


def _whose(checked: Checked) -> dict[str, set[str]]:
    """For each path, the systems whose responses it holds, or the prompts."""
    whose: dict[str, set[str]] = defaultdict(set)
    for (_, system, _), turns in checked.plan.responses.items():
        for turn in turns.values():
            for path in turn.audio:
                whose[path].add(system)
    for item in checked.plan.items.values():
        for turn in item.turns.values():
            for path in turn.audio:
                whose[path].add(PROMPTS)
    return whose
