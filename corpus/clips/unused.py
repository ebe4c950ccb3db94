"""Removing clips that nothing refers to any more, with their files and what was made of them to be heard."""

from collections.abc import Iterable, Iterator
from typing import Any

from django.db import transaction
from django.db.models import PROTECT, Exists, ForeignKey, OuterRef, Q, QuerySet

from corpus.models import Clip, DeliveredClip, ResponseTurn, Turn
from infrastructure.files.media import MediaFile, folders_in, media_file

STEP = 500


def clips_in_datasets(datasets: QuerySet[Any]) -> QuerySet[Clip]:
    """The clips that are prompts or responses there."""
    prompts = Turn.objects.filter(item__dataset__in=datasets, clip__isnull=False).values("clip")
    said = ResponseTurn.objects.filter(response__item__dataset__in=datasets, clip__isnull=False).values("clip")
    return Clip.objects.filter(Q(pk__in=prompts) | Q(pk__in=said))


def hashes_in_datasets(datasets: QuerySet[Any]) -> list[str]:
    """Of the clips that are prompts or responses there."""
    return list(clips_in_datasets(datasets).values_list("sha256", flat=True))


def leaving_with_datasets(datasets: QuerySet[Any]) -> list[tuple[QuerySet[Any], str]]:
    """The files that would go with these datasets: clips that no other row refers to, also as they are delivered."""
    leaving = list(datasets.values_list("pk", flat=True))
    prompts = Turn.objects.exclude(item__dataset__in=leaving).filter(clip=OuterRef("pk"))
    said = ResponseTurn.objects.exclude(response__item__dataset__in=leaving).filter(clip=OuterRef("pk"))
    own = clips_in_datasets(datasets).exclude(Exists(prompts) | Exists(said))
    made = DeliveredClip.objects.filter(clip__in=own)
    return [(own, "bytes"), (made, "bytes")]


def drop_unused(hashes: Iterable[str]) -> None:
    """Remove those that no row refers to. Repeated after a kill, it finds the files whose rows have gone."""
    for some in in_steps(set(hashes)):
        with transaction.atomic():
            _unused(some).delete()
        kept = set(Clip.objects.filter(sha256__in=some).values_list("sha256", flat=True))
        for path in _files_of(set(some) - kept):
            path.unlink(missing_ok=True)


def in_steps(hashes: set[str]) -> Iterator[list[str]]:
    """So many at a time that a query can name them all."""
    ordered = sorted(hashes)
    return (ordered[at : at + STEP] for at in range(0, len(ordered), STEP))


def _unused(hashes: Iterable[str]) -> QuerySet[Clip]:
    rows = Clip.objects.filter(sha256__in=hashes)
    for field in _references():
        used = field.model._base_manager.filter(**{field.name: OuterRef("pk")})
        rows = rows.exclude(Exists(used))
    return rows


def _references() -> Iterator[Any]:
    """The columns, of whatever app, that need their clip."""
    for relation in Clip._meta.get_fields(include_hidden=True):
        field = getattr(relation, "field", None)
        if isinstance(field, ForeignKey) and field.remote_field.on_delete is PROTECT:
            yield field


def _files_of(hashes: Iterable[str]) -> Iterator[MediaFile]:
    forms = folders_in("delivered")
    for sha256 in hashes:
        yield media_file("clips", sha256[:2], sha256)
        yield from (media_file("delivered", form, sha256[:2], f"{sha256}.wav") for form in forms)
