"""What was answered before votes were written down beside the answers."""

from django.db import migrations
from django.db.models import Exists, F, OuterRef, Subquery, Value
from django.db.models.functions import Coalesce, Length, Substr

AT_ONCE = 5_000


def write_down(apps, _schema_editor) -> None:
    answer = apps.get_model("annotation", "Answer")
    member = apps.get_model("campaigns", "Membership")
    change = apps.get_model("annotation", "VoteChange")
    assignment = "annotation__assignment__"
    unit = f"{assignment}campaign_unit__unit__"
    own = {"campaign": OuterRef(f"{assignment}campaign"), "user": OuterRef(f"{assignment}annotator")}
    members = member.objects.filter(**own, role="annotator").order_by()
    votes = answer.objects.annotate(length=Length("value")).filter(
        ~Exists(members.filter(answers_withdrawn_at__isnull=False)),
        slot="",
        length__lte=20,
        annotation__superseded_by=None,
        annotation__assignment__campaign_unit__purpose="study",
        annotation__assignment__campaign_unit__unit__kind="pair",
    )
    named = votes.order_by("pk").values(
        "annotation_id",
        "aspect",
        "value",
        of_campaign=F(f"{assignment}campaign"),
        of_category=F(f"{unit}item__category"),
        of_unit=F(f"{assignment}campaign_unit__unit"),
        of_item=F(f"{unit}item"),
        of_a=F(f"{unit}a__system"),
        of_b=F(f"{unit}b__system"),
        of_first=Substr(f"{assignment}order", 1, 1),
        of_voter=Coalesce(Subquery(members.values("pk")), Value(0)),
        of_excluded=F(f"{assignment}excluded"),
    )
    rows = []
    for row in named.iterator(chunk_size=AT_ONCE):
        columns = {name.removeprefix("of_"): value for name, value in row.items()}
        rows.append(change(campaign_id=columns.pop("campaign"), **columns, change=1))
        if len(rows) == AT_ONCE:
            change.objects.bulk_create(rows)
            rows = []
    change.objects.bulk_create(rows)


class Migration(migrations.Migration):

    dependencies = [
        ("annotation", "0008_vote_changes"),
    ]

    operations = [migrations.RunPython(write_down, migrations.RunPython.noop)]
