"""Clips that are silent, clipped or far too loud: warnings of an import, system by system."""

from collections import defaultdict

from campaigns.audio.faults import LOUDEST_LUFS, LOUDEST_PEAK_DBTP, MOST_CLIPPED, Fault, faults_of
from campaigns.imports.checked import Checked
from campaigns.imports.plan import counted

SAID: dict[Fault, str] = {
    "silent": "silent from end to end",
    "clipped": f"clipped in {MOST_CLIPPED:.0%} of the samples or more",
    "loud": f"far too loud (true peak above {LOUDEST_PEAK_DBTP:g} dBTP, or more than {LOUDEST_LUFS:g} LUFS)",
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
        message = f"{len(paths)} of {of} of {owner} {'is' if len(paths) == 1 else 'are'} {SAID[fault]}: {some}{more}."
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
