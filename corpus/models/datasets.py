from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.urls import reverse

from corpus.models.clips import Clip
from infrastructure.models import Archivable, Present


class Dataset(Archivable):
    """Items, the systems that answered them, and the pairs made of their responses."""

    name = models.CharField(max_length=200, unique=True)
    slug = models.SlugField(max_length=80, unique=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", help_text="its owner"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    description = models.TextField(blank=True)
    licence = models.CharField(max_length=200, blank=True, help_text="an SPDX id such as CC-BY-4.0, or in words")
    source = models.TextField(blank=True, help_text="where it comes from, and how to cite it")
    is_complete = models.BooleanField(
        default=True,
        db_default=True,
        help_text="whether the import that made it came to its end; no campaign is made over one before",
    )

    objects = Present["Dataset"]()

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("dataset", args=[self.slug])


class System(models.Model):
    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="systems")
    name = models.CharField(max_length=200)

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["dataset", "name"], name="one_system_per_name")]

    def __str__(self) -> str:
        return self.name


class Item(models.Model):
    """What all systems were asked: one or more turns."""

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="items")
    key = models.CharField(max_length=200)
    category = models.CharField(max_length=100, blank=True)
    facts = models.JSONField(
        default=dict, blank=True, help_text="dimension, capability, criteria: what protocols ask or show per item"
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["dataset", "key"], name="one_item_per_key")]

    def __str__(self) -> str:
        return self.key


class Turn(models.Model):
    """One turn of the user's side of an item."""

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="turns")
    position = models.PositiveSmallIntegerField()
    text = models.TextField(blank=True)
    path = models.CharField(max_length=500, blank=True, help_text="where the import found the audio")
    clip = models.ForeignKey(Clip, on_delete=models.PROTECT, null=True, related_name="+")

    class Meta:
        ordering = ["position"]
        constraints = [models.UniqueConstraint(fields=["item", "position"], name="one_turn_per_position")]

    def __str__(self) -> str:
        return f"{self.item} turn {self.position}"


class Response(models.Model):
    """One system's answer to an item. `key` distinguishes several takes of one system."""

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="responses")
    system = models.ForeignKey(System, on_delete=models.CASCADE, related_name="responses")
    key = models.CharField(max_length=500)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "system", "key"], name="one_response_per_item_system_key")
        ]

    def __str__(self) -> str:
        return f"{self.system} on {self.item}"


class ResponseTurn(models.Model):
    response = models.ForeignKey(Response, on_delete=models.CASCADE, related_name="turns")
    position = models.PositiveSmallIntegerField()
    text = models.TextField(blank=True)
    path = models.CharField(max_length=500, blank=True, help_text="where the import found the audio")
    clip = models.ForeignKey(Clip, on_delete=models.PROTECT, null=True, related_name="+")

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["response", "position"], name="one_response_turn_per_position")
        ]

    def __str__(self) -> str:
        return f"{self.response} turn {self.position}"


class Unit(models.Model):
    """What a rater judges at one time: a pair, one response, or all responses to an item.

    A pair has its stored frame here, `a` and `b`, whatever the screen shows; a single response is `a`; the
    responses of a whole item are its members, lettered from `a`.
    """

    class Kind(models.TextChoices):
        PAIR = "pair"
        SINGLE = "single"
        ITEM = "item"

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="units")
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="units")
    kind = models.CharField(max_length=6, choices=Kind, default=Kind.PAIR)
    key = models.CharField(max_length=500)
    a = models.ForeignKey(Response, on_delete=models.CASCADE, null=True, related_name="+")
    b = models.ForeignKey(Response, on_delete=models.CASCADE, null=True, related_name="+")
    imported = models.BooleanField(default=False, help_text="came with the dataset, not made for a campaign")
    source = models.JSONField(
        default=dict, blank=True, help_text="what the imported row said beyond these columns, to be exported again"
    )
    numbers = models.JSONField(
        default=dict,
        blank=True,
        help_text="what is known of it in numbers from elsewhere, by name: SNR, gap of MOS, …",
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["dataset", "key"], name="one_unit_per_key"),
            models.CheckConstraint(
                condition=(
                    Q(kind="pair", a__isnull=False, b__isnull=False) & ~Q(a=F("b"))
                    | Q(kind="single", a__isnull=False, b__isnull=True)
                    | Q(kind="item", a__isnull=True, b__isnull=True)
                ),
                name="a_unit_has_the_responses_of_its_kind",
            ),
        ]

    def __str__(self) -> str:
        return self.key


class UnitMember(models.Model):
    """One response of a unit that is a whole item."""

    unit = models.ForeignKey(Unit, on_delete=models.CASCADE, related_name="members")
    slot = models.CharField(max_length=1)
    response = models.ForeignKey(Response, on_delete=models.CASCADE, related_name="+")

    class Meta:
        ordering = ["slot"]
        constraints = [
            models.UniqueConstraint(fields=["unit", "slot"], name="one_member_per_slot"),
            models.UniqueConstraint(fields=["unit", "response"], name="a_response_once_per_unit"),
        ]

    def __str__(self) -> str:
        return f"{self.unit} {self.slot}"
