from django.db import models


class Deletion(models.Model):
    """A deletion that is going on, with what its rows alone could say of files; gone when it is done."""

    kind = models.CharField(max_length=20, help_text="of its subject, as infrastructure.deletion.subjects names it")
    number = models.CharField(max_length=40, help_text="its primary key")
    files = models.JSONField(default=dict, help_text="what names its files, by the name of their store")
    asked_in = models.BigIntegerField(null=True, help_text="number of the audit log's entry that says who asked")
    began_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["kind", "number"], name="one_deletion_of_each")]

    def __str__(self) -> str:
        return f"deletion of {self.kind} {self.number}"
