from django.conf import settings
from django.db import models
from django.urls import reverse

from campaigns.models.clips import Clip


class Dataset(models.Model):
    """Items, the systems that answered them, and the pairs made of their responses."""

    name = models.CharField(max_length=200, unique=True)
    slug = models.SlugField(max_length=80, unique=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

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
    """What the systems were asked: one or more turns."""

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="items")
    key = models.CharField(max_length=200)
    category = models.CharField(max_length=100, blank=True)

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
    """One system's answer to an item. `key` tells several takes of one system apart."""

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
    """What is put before a rater. A pair has its stored frame here: `a` and `b`, whatever the screen shows."""

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="units")
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="units")
    key = models.CharField(max_length=500)
    a = models.ForeignKey(Response, on_delete=models.CASCADE, related_name="+")
    b = models.ForeignKey(Response, on_delete=models.CASCADE, related_name="+")
    source = models.JSONField(
        default=dict,
        blank=True,
        help_text="what the imported row said beyond these columns, to be exported again",
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["dataset", "key"], name="one_unit_per_key"),
            models.CheckConstraint(condition=~models.Q(a=models.F("b")), name="a_unit_pairs_two_responses"),
        ]

    def __str__(self) -> str:
        return self.key
