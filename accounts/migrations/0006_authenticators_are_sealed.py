from base64 import b32encode
from hashlib import sha256

from django.db import migrations

from accounts.sealing import sealed

KEPT = (
    "user_id", "name", "confirmed", "drift", "last_t", "last_used_at", "throttling_failure_timestamp",
    "throttling_failure_count",
)


def seal_keys(apps, _schema_editor):
    """Keys move into the new table, encrypted; codes become their hashes (accounts/second_factor.py)."""
    old, new = apps.get_model("otp_totp", "TOTPDevice"), apps.get_model("accounts", "Authenticator")
    for row in old.objects.all():
        new.objects.create(sealed_key=sealed(row.key), **{name: getattr(row, name) for name in KEPT})
    old.objects.all().delete()
    for token in apps.get_model("otp_static", "StaticToken").objects.all():
        token.token = b32encode(sha256(token.token.encode()).digest()[:10]).decode().lower()
        token.save(update_fields=["token"])


class Migration(migrations.Migration):
    """There is no way back: what was hashed stays so."""

    dependencies = [
        ("accounts", "0005_authenticator"),
        ("otp_static", "0003_add_timestamps"),
        ("otp_totp", "0003_add_timestamps"),
    ]

    operations = [
        migrations.RunPython(seal_keys),
    ]
