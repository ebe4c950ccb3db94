"""Campaigns whose clips can be heard, and spoken traps in them."""

import io

import numpy as np
import soundfile

from campaigns.control_units.attention_checks.making import start_traps
from campaigns.models import Campaign, CampaignUnit, TrapClip
from corpus.clips.storage import examine_clip, keep_clip
from corpus.imports.files.audio_files import sha256_of
from corpus.models import Clip, ResponseTurn
from infrastructure.tasks import run_job_task
from tests.factories import ClipFactory

RATE = 16_000


def noise(seconds: float, *, seed: int, rate: int = RATE, level: float = 0.05) -> np.ndarray:
    return level * np.random.default_rng(seed).standard_normal(round(seconds * rate))


def kept(samples: np.ndarray, rate: int = RATE) -> Clip:
    file = io.BytesIO()
    soundfile.write(file, samples, rate, format="WAV", subtype="PCM_16")
    return keep_clip(file, examine_clip(file, name="", sha256=sha256_of(file)))


def give_sound(campaign: Campaign, *, seconds: float = 8.0) -> None:
    """Every response of the campaign's dataset gets a clip of its own, each a little longer than the one before."""
    for n, turn in enumerate(ResponseTurn.objects.filter(response__item__dataset=campaign.dataset).order_by("pk")):
        turn.clip = kept(noise(seconds + n / 10, seed=n))
        turn.save(update_fields=["clip"])
    for item in campaign.dataset.items.all():
        item.turns.update(clip=kept(noise(1.0, seed=10_000 + item.pk)))


def traps_made(campaign: Campaign, n: int, *, seed: int = 0) -> list[CampaignUnit]:
    run_job_task(str(start_traps(campaign, n=n, seed=seed, user=campaign.created_by).pk))
    traps = campaign.campaign_units.filter(purpose="trap")
    return list(traps.select_related("unit").prefetch_related("trap_clips__clip"))


def make_trap(campaign: Campaign) -> TrapClip:
    """A trap that was never spoken, with a file behind it."""
    study = campaign.campaign_units.get(position=0)
    unit = campaign.campaign_units.create(unit=study.unit, position=900, purpose="trap")
    clip = ClipFactory()
    clip.path.parent.mkdir(parents=True, exist_ok=True)
    clip.path.write_bytes(b"sound")
    return TrapClip.objects.create(
        campaign_unit=unit, slot="a", turn=1, clip=clip, sentence="Please choose one.", start_s=1.0, end_s=2.0
    )
