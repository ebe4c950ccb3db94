"""The statistical attack: an annotator writes down everything that can be seen of many clips, and looks for systems.

Three systems give themselves away in every way a file can (container, rate, tags, level, and whole frames of a codec)
while what can be heard of all three is of the same lengths. Nothing that is seen may go with the system; that the
attack would find it is shown by giving it something to find.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
import soundfile
from django.test import Client
from django.urls import reverse
from scipy.stats import chi2_contingency

from annotation.models import Assignment
from campaigns.launch.lifecycle import create_campaign, open_campaign, prepare_audio
from campaigns.models import Campaign, Role
from campaigns.people.members import add_member
from corpus.datasets.units import pairs_of_systems
from corpus.imports.files.audio_files import FolderAudio
from corpus.imports.uploads.checking import check_manifest
from corpus.imports.writing import Destination, write
from corpus.models import Response
from infrastructure.tasks import run_job_task
from tests.annotation.test_blindness import PROTOCOL
from tests.factories import DIRECT_ANSWERS, UserFactory

pytestmark = pytest.mark.django_db
ITEMS = 8
#: By system: the rate of its files, their container, their level, and how many samples its codec makes at a time.
SYSTEMS = {
    "Aardwolf": (24_000, "wav", 0.02, 1920),
    "Binturong": (16_000, "flac", 0.10, 256),
    "Cacomistle": (22_050, "ogg", 0.05, 551),
}
#: Chance alone is so unlikely to do it that no run of the tests will see it.
BEYOND_CHANCE = 1e-9


#: Values that are seen less often are taken together: what each clip has for itself shows nothing in a table.
OFTEN = 5


@dataclass
class Seen:
    """What was written down of every clip, by what it is, and the system, which only the test knows."""

    columns: dict[str, list[object]] = field(default_factory=dict)
    systems: list[str] = field(default_factory=list)

    def add(self, system: str, found: dict[str, object]) -> None:
        self.systems.append(system)
        for name, value in found.items():
            self.columns.setdefault(name, []).append(value)


def made(folder: Path) -> Path:
    rng = np.random.default_rng(11)
    rows = ["item,category,prompt_text,prompt_audio,system,response_text,response_audio"]
    for n in range(ITEMS):
        for system, (rate, suffix, level, frame) in SYSTEMS.items():
            path = folder / f"{system}-{n}.{suffix}"
            samples = frame * round(rng.uniform(0.5, 0.9) * rate / frame)
            with soundfile.SoundFile(path, "w", rate, 1) as file:
                file.title = file.artist = system
                file.write(level * rng.standard_normal(samples))
            rows.append(f"q{n},,Say it,,{system},x,{path.name}")
    manifest = folder / "m.csv"
    manifest.write_text("\n".join(rows), encoding="utf-8")
    return manifest


@pytest.fixture
def campaign(tmp_path: Path, media_root: Path) -> Campaign:
    owner, files = UserFactory(is_researcher=True), FolderAudio(tmp_path)
    checked = check_manifest(made(tmp_path), files, dataset_name="D", label_set_name="", progress=lambda *_: None)
    assert checked.errors == []
    dataset = write(checked, files, Destination("D", "", owner), progress=lambda *_: None)
    campaign = create_campaign(dataset, title="C", protocol=PROTOCOL, units=pairs_of_systems(dataset), user=owner)
    run_job_task(str(prepare_audio(campaign, user=owner).pk))
    return open_campaign(campaign)


def seen_of_clip(client: Client, url: str, page: str) -> dict[str, object]:
    """Whatever of a clip can be seen without hearing it."""
    response, part = client.get(url), client.get(url, headers={"Range": "bytes=0-99"})
    token = url.removeprefix("/listen/")
    content, size = response.content, int(response["Content-Length"])
    at = page.index(token)
    found: dict[str, object] = {f"letter {n} of the address": letter for n, letter in enumerate(token[:40])}
    found |= {f"letter {n} of the signature": letter for n, letter in enumerate(token.rsplit(":", 1)[1][:12])}
    found |= {"length of the address": len(token), "place on the page": page.count('data-clip="', 0, at)}
    found |= {f"header {name}": text for name, text in response.headers.items() if name != "Content-Length"}
    found |= {f"order of headers: {n}": name for n, name in enumerate(response.headers)}
    found |= {"status": response.status_code, "part's headers": str(sorted(set(part.headers)))}
    found |= {"what stands before the sound": content[:4] + content[8:40], "two samples": content[44:48] == b"\0" * 4}
    for whole in (128, 160, 256, 320, 480, 512, 551, 1920):
        found[f"samples over whole frames of {whole}"] = (size - 44) // 2 % whole
    return found


def walked(client: Client, campaign: Campaign) -> Iterator[tuple[str, dict[str, object]]]:
    """All units of the campaign by one annotator, with everything that is fetched on the way."""
    page = client.get(reverse("label", args=[campaign.slug])).content.decode()
    names = dict(Response.objects.values_list("pk", "system__name"))
    n = 0
    while urls := re.findall(r'data-clip="([^"]+)"', page):
        held = Assignment.objects.select_related("campaign_unit__unit").get(
            annotator__username="eve", status="reserved"
        )
        unit = held.campaign_unit.unit
        here = [names[{"a": unit.a_id, "b": unit.b_id}[slot]] for slot in held.order]
        ahead = client.post(reverse("ahead", args=[campaign.slug]))
        answer = re.findall(r'hx-post="([^"]+)"', page)[0]
        for system, url in zip(here, urls, strict=True):
            order = {
                "place of the unit": n % 3,
                "third of the study": 3 * n // (3 * ITEMS),
                "ahead": len(ahead.content),
            }
            yield system, seen_of_clip(client, url, page) | order
        sent = DIRECT_ANSWERS | {"idempotency_key": f"k{n}"}
        page, n = client.post(answer, sent, headers={"HX-Request": "true"}).content.decode(), n + 1


def correlated(seen: Seen) -> dict[str, float]:
    """What goes with the system more than chance allows (chi-squared test of the table of both), and how likely."""
    found = {}
    systems = np.unique(seen.systems, return_inverse=True)[1]
    for name, column in seen.columns.items():
        often = {value for value, n in Counter(map(str, column)).items() if n >= OFTEN}
        values, at = np.unique([str(it) if str(it) in often else "rare" for it in column], return_inverse=True)
        if len(values) < 2:
            continue
        table = np.zeros((len(values), systems.max() + 1))
        np.add.at(table, (at, systems), 1)
        if (p := float(chi2_contingency(table).pvalue)) < BEYOND_CHANCE:
            found[name] = p
    return found


def test_nothing_that_is_seen_of_many_clips_goes_with_their_systems(client: Client, campaign: Campaign) -> None:
    eve = UserFactory(username="eve")
    add_member(campaign, user=eve, role=Role.ANNOTATOR)
    client.force_login(eve)
    seen = Seen()
    for system, found in walked(client, campaign):
        seen.add(system, found)

    assert len(seen.systems) == 2 * 3 * ITEMS
    assert correlated(seen) == {}

    # The same attack finds a letter that is the system's own in four of five addresses.
    rng = np.random.default_rng(5)
    seen.columns["planted"] = [it[0] if rng.uniform() < 0.8 else rng.choice(list("ABC")) for it in seen.systems]
    assert set(correlated(seen)) == {"planted"}
