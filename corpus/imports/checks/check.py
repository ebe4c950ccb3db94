"""The dry run: every row and every file is looked at, and nothing is written."""

from concurrent.futures import ThreadPoolExecutor, wait

from corpus.audio.reading import UnreadableAudio
from corpus.clips.storage import ExaminedClip, examine_clip
from corpus.imports import reasons
from corpus.imports.checks.conflicts import compare
from corpus.imports.checks.faulty_clips import warn_of_clips
from corpus.imports.checks.result import Checked
from corpus.imports.files.audio_files import AudioFiles, MissingAudio, ZipAudio, is_path, sha256_of
from corpus.imports.files.remote_audio import RemoteAudio
from corpus.imports.plan import Plan
from corpus.imports.reasons import LISTENING
from corpus.models import Dataset
from infrastructure.background.kinds import ShowProgress
from infrastructure.wording.reasons import Reason

#: How often a check says that it goes on, and finds out that it was cancelled (s).
BEAT_S = 2.0


def check(
    plan: Plan,
    files: AudioFiles | None,
    *,
    dataset: Dataset | None,
    label_set_name: str,
    progress: ShowProgress,
) -> Checked:
    """Examine every file the plan names and compare the plan with what `dataset` already holds.

    `files` is None for an import without audio. Nothing is listened to where the manifest is refused as a whole.
    """
    checked = Checked(plan)
    if plan.is_refused_whole:
        checked.sound_checked = False  # it takes long, and may be of other files once the manifest is mended
    elif files is not None:
        if isinstance(files, ZipAudio):
            checked.unused_files = files.unused(filter(is_path, plan.audio_paths))
        _examine_files(checked, files, progress)
        _compare_prompts(checked)
        warn_of_clips(checked)
    if dataset is not None:
        compare(checked, dataset, label_set_name)
    return checked


def _examine_files(checked: Checked, files: AudioFiles, progress: ShowProgress) -> None:
    """Two files at a time: decoding and filtering leave Python's lock to others."""
    paths = checked.plan.audio_paths
    pool = ThreadPoolExecutor(max_workers=2)
    try:
        outcomes = [(path, pool.submit(_examine, files, path)) for path in paths]
        for done, (path, future) in enumerate(outcomes, start=1):
            while not wait((future,), timeout=BEAT_S).done:
                progress(done - 1, len(paths), LISTENING())  # one that is fetched may take longer than a lease
            outcome = future.result()
            if isinstance(outcome, ExaminedClip):
                checked.clips[path] = outcome
            else:
                checked.plan.refuse(paths[path], "audio", outcome)
            progress(done, len(paths), LISTENING())
    except BaseException:
        if isinstance(files, RemoteAudio):
            files.stop()
        raise
    finally:
        pool.shutdown(cancel_futures=True)  # a worker that lost its job does not go on listening


def _examine(files: AudioFiles, path: str) -> ExaminedClip | Reason:
    try:
        with files.open(path) as file:
            return examine_clip(file, name=path, sha256=sha256_of(file))
    except (MissingAudio, UnreadableAudio) as refusal:
        return refusal.reason


def _compare_prompts(checked: Checked) -> None:
    """An item has one prompt: where several rows bring its audio, they must bring the same."""
    for key, item in checked.plan.items.items():
        for turn in item.turns.values():
            found = {checked.clips[path].sha256 for path in turn.audio if path in checked.clips}
            if len(found) > 1:
                row = max(turn.audio.values())
                checked.plan.refuse(row, "prompt audio", reasons.PROMPTS_OF_ITEM(item=key, n=len(found)))
