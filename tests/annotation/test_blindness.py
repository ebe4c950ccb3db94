"""With rare names in the data, nothing that reaches an annotator's browser may hold one of them."""

import io
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponseBase
from django.test import Client
from django.urls import reverse

from annotation.models import Assignment
from campaigns.launch.lifecycle import create_campaign, open_campaign, prepare_audio
from campaigns.models import Campaign, CampaignUnit, Role
from campaigns.people.consent import give_consent, new_version
from campaigns.people.members import add_member
from corpus.datasets.units import pairs_of_systems
from corpus.imports.files.audio_files import FolderAudio
from corpus.imports.uploads.checking import check_manifest
from corpus.imports.writing import Destination, write
from corpus.models import ResponseTurn
from infrastructure.tasks import run_job_task
from protocols import SHIPPED, Listening
from tests.campaigns.control_units.trapping import kept, noise, traps_made
from tests.factories import DIRECT_ANSWERS, RARE_A, RARE_B, UserFactory, make_assignment, make_invitation

pytestmark = pytest.mark.django_db
PROTOCOL = replace(SHIPPED["hcot"], listening=Listening("none"))
SECRETS = [RARE_A, RARE_B, "sesquipedalian", "Borborygmus"]


def write_release(folder: Path) -> Path:
    """Two systems that give themselves away in every way a file can: name, tag, rate, container and loudness."""
    rng = np.random.default_rng(7)
    rows = ["item,category,prompt_text,prompt_audio,system,response_text,response_audio"]
    for n in range(2):
        for system, rate, suffix, level in ((RARE_A, 16_000, "wav", 0.02), (RARE_B, 24_000, "flac", 0.2)):
            path = folder / f"{system}-{n}-sesquipedalian.{suffix}"
            with soundfile.SoundFile(path, "w", rate, 1) as file:
                file.title, file.artist, file.comment = system, system, f"made by {system}"
                file.write(level * rng.standard_normal(rate))
            rows.append(f"Borborygmus-{n},Borborygmus,Say it,,{system},I am {system},{path.name}")
    manifest = folder / "Borborygmus.csv"
    manifest.write_text("\n".join(rows), encoding="utf-8")
    return manifest


@pytest.fixture
def campaign(tmp_path: Path, media_root: Path) -> Campaign:
    owner = UserFactory(is_researcher=True)
    files = FolderAudio(tmp_path)
    checked = check_manifest(
        write_release(tmp_path), files, dataset_name="Borborygmus", label_set_name="", progress=lambda *_: None
    )
    assert checked.errors == []
    dataset = write(checked, files, Destination("Borborygmus", "", owner), progress=lambda *_: None)
    campaign = create_campaign(
        dataset, title="Which one?", protocol=PROTOCOL, units=pairs_of_systems(dataset), user=owner
    )
    run_job_task(str(prepare_audio(campaign, user=owner).pk))
    return open_campaign(campaign)


def everything(response: HttpResponseBase) -> str:
    """Status line, headers and body, whatever their encoding."""
    headers = "\n".join(f"{name}: {value}" for name, value in response.headers.items())
    return headers + "\n" + response.getvalue().decode("latin-1")


def test_nothing_an_annotator_receives_names_a_system_or_a_file(campaign: Campaign) -> None:
    annotator = UserFactory()
    add_member(campaign, user=annotator, role=Role.ANNOTATOR)
    agreed = new_version(campaign, text="Your answers are kept.", user=campaign.created_by)
    give_consent(campaign, user=annotator, version=agreed.version)
    client = Client()
    client.force_login(annotator)
    received: dict[str, str] = {}
    link = make_invitation(campaign).get_absolute_url()
    received["logged out"] = everything(Client().get(link))
    agree_and_leave = [reverse(name, args=[campaign.slug]) for name in ("consent", "withdraw")]
    pages = [reverse("home"), reverse("label", args=[campaign.slug]), reverse("password"), "/nowhere/", link]
    pages += agree_and_leave
    for _ in range(3):
        for url in pages:
            received[url] = everything(client.get(url))
        page = received[reverse("label", args=[campaign.slug])]
        for clip in re.findall(r'data-clip="([^"]+)"', page):
            received[clip] = everything(client.get(clip))
            received[clip + " part"] = everything(client.get(clip, headers={"Range": "bytes=0-99"}))
        for answer in re.findall(r'hx-post="([^"]+)"', page):
            received[answer + " faulty"] = everything(client.post(answer, {}, headers={"HX-Request": "true"}))
            received[answer] = everything(
                client.post(answer, DIRECT_ANSWERS | {"idempotency_key": answer}, headers={"HX-Request": "true"})
            )

    assert sum(url.startswith("/listen/") for url in received) >= 8
    leaks = [
        (url, secret)
        for url, text in received.items()
        for secret in SECRETS
        if secret.casefold() in (url + text).casefold()
    ]
    assert leaks == []


def test_spoken_trap_comes_like_any_other_unit(campaign: Campaign, client: Client) -> None:
    """Two units of the same clips, one of them a trap: pages, headers and lengths are the same."""
    Campaign.objects.update(status="draft")
    for turn in ResponseTurn.objects.select_related("clip"):
        turn.clip = kept(noise(8.0, seed=turn.clip_id))
        turn.save()
    run_job_task(str(prepare_audio(campaign, user=campaign.created_by).pk))
    traps = traps_made(campaign, 2)
    Campaign.objects.update(status="open")
    annotator = UserFactory()
    add_member(campaign, user=annotator, role=Role.ANNOTATOR)
    client.force_login(annotator)

    def received(unit: CampaignUnit) -> tuple[str, list[str], list[bytes]]:
        Assignment.objects.all().delete()
        make_assignment(campaign, annotator, campaign_unit=unit, order="ba")
        page = client.get(reverse("label", args=[campaign.slug])).content.decode()
        clips = [client.get(url) for url in re.findall(r'data-clip="([^"]+)"', page)]
        drawn = r"\w{32,}[\w:.-]*|[0-9a-f-]{36}|\d+ of \d+"  # keys, tokens, addresses, requests' ids, progress
        headers = [re.sub(drawn, "…", str(clip.headers)) for clip in clips]
        return re.sub(drawn, "…", page), headers, [clip.content for clip in clips]

    for trap in traps:
        study = campaign.campaign_units.get(unit=trap.unit, purpose="study")
        (page, headers, clips), (trap_page, trap_headers, trap_clips) = received(study), received(trap)

        assert trap_page.splitlines() == page.splitlines()
        assert trap_headers == headers
        assert [len(clip) for clip in trap_clips] == [len(clip) for clip in clips]
        assert trap_clips != clips


def test_clips_of_both_systems_come_in_one_form(campaign: Campaign) -> None:
    annotator = UserFactory()
    add_member(campaign, user=annotator, role=Role.ANNOTATOR)
    client = Client()
    client.force_login(annotator)
    page = client.get(reverse("label", args=[campaign.slug])).content.decode()

    answers = [client.get(url) for url in re.findall(r'data-clip="([^"]+)"', page)]

    heads = [answer.content[:44] for answer in answers]
    sounds = [soundfile.info(io.BytesIO(answer.content)) for answer in answers]
    assert len(answers) == 2
    assert heads[0] == heads[1]
    assert {(s.format, s.subtype, s.samplerate, s.channels) for s in sounds} == {("WAV", "PCM_16", 24_000, 1)}
    assert {tuple(sorted(answer.headers)) for answer in answers} == {tuple(sorted(answers[0].headers))}
    assert len({len(str(answer.headers)) for answer in answers}) == 1


def test_titles_that_name_a_system_keep_a_campaign_closed(campaign: Campaign, client: Client) -> None:
    Campaign.objects.update(title=f"Is {RARE_A.lower()} better?", status="draft")
    client.force_login(campaign.created_by)

    client.post(reverse("campaign-turn", args=[campaign.slug, "open"]))

    campaign.refresh_from_db()
    assert campaign.status == "draft"


def test_upload_names_are_kept_out_of_paths(client: Client, media_root: Path) -> None:
    client.force_login(UserFactory(is_researcher=True))
    manifest = SimpleUploadedFile("../../Borborygmus.csv", b"item,system\nq,x\n")

    client.post(reverse("import-new"), {"dataset_name": "D", "manifest": manifest, "without_audio": "on"})

    kept = [str(path.relative_to(media_root)) for path in media_root.rglob("*") if path.is_file()]
    assert [Path(path).name for path in kept] == ["manifest"]
