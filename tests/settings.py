"""Settings of the test run: those of the product, with a throw-away key and data folder."""

import os
import tempfile

os.environ.setdefault("SECRET_KEY", "only-for-tests")
os.environ.setdefault("EARSHOT_DATA", tempfile.mkdtemp(prefix="earshot-test-"))

from config.settings import *  # noqa: F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
NOTHING_KEPT = {"BACKEND": "django.core.cache.backends.dummy.DummyCache"}  # the same queries at every request
CACHES = {"default": NOTHING_KEPT, "rates": NOTHING_KEPT, "looks": NOTHING_KEPT}
STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}  # noqa: F405
if DATABASES["default"]["ENGINE"] == "config.sqlite":  # noqa: F405
    DATABASES["default"]["TEST"] = {"NAME": str(DATA_DIR / "test.sqlite3")}  # noqa: F405
    DATABASES["default"]["OPTIONS"]["init_command"] += "PRAGMA synchronous=OFF;"  # noqa: F405 - no power cut here
else:
    del DATABASES["default"]["OPTIONS"]["pool"]  # noqa: F405 - it would hold the test database open
