from django.db import migrations

from campaigns.protocols import SHIPPED, InvalidDocument, digest, is_digest_of, to_document


def take_digests_anew(apps, _schema_editor):
    """A digest is taken from the document without defaults. Labels name the digest of a campaign or of a protocol
    that ships; one that nobody knows here stays as it is, and stays unknown.
    """
    new = {}
    for model, field, document in (
        ("Campaign", "protocol_digest", "protocol_document"),
        ("ProtocolVersion", "digest", "document"),
    ):
        rows = apps.get_model("campaigns", model).objects.all()
        for row in rows.only("pk", field, document):
            before = getattr(row, field)
            try:
                new[before] = digest(getattr(row, document))
            except InvalidDocument:
                continue  # a protocol that this version cannot read keeps the digest that it has
            rows.filter(pk=row.pk).update(**{field: new[before]})
    shipped = [to_document(protocol) for protocol in SHIPPED.values()]
    label_sets = apps.get_model("campaigns", "LabelSet").objects.exclude(protocol_digest="")
    for before in set(label_sets.values_list("protocol_digest", flat=True)):
        found = new.get(before) or next((digest(it) for it in shipped if is_digest_of(before, it)), before)
        label_sets.filter(protocol_digest=before).update(protocol_digest=found)


class Migration(migrations.Migration):

    dependencies = [("campaigns", "0024_when_campaigns_closed")]

    operations = [migrations.RunPython(take_digests_anew, migrations.RunPython.noop, elidable=True)]
