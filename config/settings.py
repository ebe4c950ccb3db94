"""Settings, read once from the environment and from `.env` in HOME_DIR, which is the folder of manage.py.

Nothing here creates a file or opens a connection. Every variable is described in docs/reference/settings.md.
"""

from ipaddress import ip_network
from pathlib import Path

import environ
from celery.schedules import crontab
from django.core.exceptions import ImproperlyConfigured

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()
#: Where `.env` and, by default, the data are. What is installed without a checkout has them where it is started.
HOME_DIR = Path(env.str("EARSHOT_HOME", default=str(BASE_DIR)))
env.read_env(HOME_DIR / ".env")

DATA_DIR = Path(env.str("EARSHOT_DATA", default="") or HOME_DIR / "var")
REDIS_URL = env.str("REDIS_URL", default="")
EMBEDDED = not REDIS_URL

SECRET_KEY = env.str("SECRET_KEY", default="")
if not SECRET_KEY:
    raise ImproperlyConfigured(
        "SECRET_KEY is not set. Run `python -m config.firstrun` once to write a .env with a random key, "
        "or set SECRET_KEY in the environment."
    )
DEBUG = env.bool("DEBUG", default=False)
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])

INSTALLED_APPS = [
    "config",
    "arena",
    "analytics",
    "annotation",
    "judges",
    "measurements",
    "campaigns",
    "corpus",
    "infrastructure",
    "accounts",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "django_otp",
    "django_otp.plugins.otp_static",
    "django_otp.plugins.otp_totp",
    "csp",
    "django_htmx",
    "rest_framework",
    "drf_spectacular",
]

MIDDLEWARE = [
    "config.operations.tracing.RequestId",
    "config.operations.metrics.Measured",
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "csp.middleware.CSPMiddleware",
    "accounts.middleware.PrivatePages",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "config.serving.requests.bodies.RefusedBodies",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "accounts.middleware.LoginRequired",
    "django.contrib.messages.middleware.MessageMiddleware",
]

ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_USER_MODEL = "accounts.User"
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "login"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": env.int("PASSWORD_LENGTH", default=12)},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]

# -- database: SQLite in WAL mode unless DATABASE_URL names another ---------------------------------------
DATABASES = {"default": env.db_url("DATABASE_URL", default=f"sqlite:///{DATA_DIR / 'earshot.sqlite3'}")}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    DATABASES["default"]["ENGINE"] = "config.sqlite"
    # A connection stays with its thread: opening one reads the whole schema, some 5 ms
    # (config/serving/asgi_handler.py).
    DATABASES["default"]["CONN_MAX_AGE"] = 600
    DATABASES["default"]["OPTIONS"] = {
        # IMMEDIATE takes the write lock at BEGIN, so that two writers queue instead of failing halfway.
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        # FULL: an acknowledged answer survives a power cut, not only a killed process.
        # secure_delete: what is deleted or changed does not stay in the file's free space.
        "init_command": (
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA mmap_size=134217728; PRAGMA secure_delete=ON;"
        ),
        # Statements that stay prepared: a vote alone has some thirty.
        "cached_statements": 512,
    }
elif DATABASES["default"]["ENGINE"] == "django.db.backends.postgresql":
    DATABASES["default"].setdefault("OPTIONS", {})["pool"] = {
        "min_size": 1,
        "max_size": env.int("DATABASE_POOL", default=20),
        # A page says after so long (s) that the database is away; at the pool's 30 s its reader has given up.
        "timeout": 10,
        # So long (s) the pool tries by itself, at growing pauses; then the next request begins anew, at once.
        "reconnect_timeout": 10,
    }
    # Without it every pooled connection that a restart of PostgreSQL broke would fail one request.
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True

#: Pages that one web process computes at the same time (`config/serving/requests/`). SQLite is part of the
#: interpreter, where only one thread computes; with PostgreSQL pages mostly wait for it, and as many as there are
#: do so together.
PAGES_AT_ONCE = 1_000 if DATABASES["default"]["ENGINE"] == "django.db.backends.postgresql" else 1

# -- background work: the database is the truth, messages are only hints -------------------------------------
CELERY_BROKER_URL = REDIS_URL or "memory://localhost/"
# How often the worker looks for messages in memory (s): at kombu's second, tasks come faster than they are done.
CELERY_BROKER_TRANSPORT_OPTIONS = {"polling_interval": 0.05} if EMBEDDED else {}
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BEAT_SCHEDULER = "config.serving.beat_scheduler:Kept"
CELERY_BEAT_SCHEDULE = {
    "requeue-lost-jobs": {"task": "infrastructure.tasks.requeue_lost_jobs_task", "schedule": 10.0},
    "worker-beat": {"task": "infrastructure.tasks.beat_task", "schedule": 3.0, "options": {"expires": 3}},
    "look-at-quality": {
        "task": "analytics.tasks.look_at_quality_task",
        "schedule": 3.0,
        "options": {"expires": 3},
    },
    "pick-up-runs": {
        "task": "judges.tasks.pick_up_runs_task",
        "schedule": 10.0,
        "options": {"expires": 10},
    },
    "queue-left-imports": {
        "task": "corpus.tasks.queue_left_imports_task",
        "schedule": 60.0,
        "options": {"expires": 60},
    },
    "sweep-abandoned-files": {"task": "corpus.tasks.sweep_abandoned_files_task", "schedule": 3600.0},
    "sweep-unmapped-tables": {"task": "judges.tasks.sweep_unmapped_tables_task", "schedule": 3600.0},
    "sweep-exports": {"task": "analytics.tasks.sweep_exports_task", "schedule": 600.0},
    "watch-exclusions": {"task": "analytics.tasks.watch_exclusions_task", "schedule": 60.0},
    "retention": {"task": "analytics.tasks.retention_task", "schedule": crontab(hour=4, minute=10)},
    "measure-storage": {"task": "analytics.tasks.measure_storage_task", "schedule": crontab(hour=5, minute=5)},
    "thin-reports": {"task": "analytics.tasks.thin_reports_task", "schedule": 24 * 3600.0},
    "close-due-campaigns": {"task": "campaigns.tasks.close_due_campaigns_task", "schedule": 60.0},
    "close-settled-campaigns": {"task": "campaigns.tasks.close_settled_campaigns_task", "schedule": 60.0},
    "close-complete-campaigns": {"task": "annotation.tasks.close_complete_campaigns_task", "schedule": 60.0},
    "forget-day-keys": {"task": "annotation.tasks.forget_day_keys_task", "schedule": 3600.0},
    "fold-open-arenas": {
        "task": "arena.tasks.fold_open_arenas_task",
        "schedule": 30.0,
        "options": {"expires": 30},
    },
    "prepare-arenas": {"task": "arena.tasks.prepare_arenas_task", "schedule": 30.0, "options": {"expires": 30}},
    "refresh-watched-boards": {
        "task": "arena.tasks.refresh_watched_task",
        "schedule": 1.0,
        "options": {"expires": 1},
    },
    "check-standings": {"task": "arena.tasks.check_standings_task", "schedule": crontab(hour=3, minute=20)},
    "deliver-due": {"task": "infrastructure.tasks.deliver_due_task", "schedule": 5.0, "options": {"expires": 5}},
    "thin-deliveries": {"task": "infrastructure.tasks.thin_deliveries_task", "schedule": 3600.0},
    "forget-replies": {"task": "accounts.tasks.forget_replies_task", "schedule": 3600.0},
    "forget-attempts": {"task": "accounts.tasks.forget_attempts_task", "schedule": 900.0},
    "analyse-tables": {"task": "config.tasks.analyse_task", "schedule": 600.0},
    "drop-old-pages": {"task": "config.tasks.drop_old_pages_task", "schedule": 60.0, "options": {"expires": 60}},
    "back-up-if-due": {"task": "config.tasks.back_up_if_due_task", "schedule": 600.0},
    "clear-expired-sessions": {"task": "accounts.tasks.clear_expired_sessions_task", "schedule": 3600.0},
}
#: Redis says after five seconds that there is no news. Its client stops listening after five, too, unless told not
#: to, and a page for which there was no news was then cut off now and again.
_LIVE = {"address": REDIS_URL, "socket_timeout": 15}
CHANNEL_LAYERS = {
    "default": (
        {"BACKEND": "channels.layers.InMemoryChannelLayer"}
        if EMBEDDED
        else {"BACKEND": "channels_redis.core.RedisChannelLayer", "CONFIG": {"hosts": [_LIVE]}}
    )
}

# -- files ---------------------------------------------------------------------------------------------
MEDIA_ROOT = DATA_DIR / "media"
# Django would give uploads and static files to everybody; config/operations/private_files.py has the umask for all
# else.
FILE_UPLOAD_PERMISSIONS, FILE_UPLOAD_DIRECTORY_PERMISSIONS = 0o600, 0o700
STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
#: Files are objects of this bucket, by the S3 protocol; empty: files in MEDIA_ROOT.
OBJECT_STORAGE_BUCKET = env.str("OBJECT_STORAGE_BUCKET", default="")
OBJECT_STORAGE = {
    "bucket_name": OBJECT_STORAGE_BUCKET,
    "endpoint_url": env.str("OBJECT_STORAGE_URL", default="") or None,
    "region_name": env.str("OBJECT_STORAGE_REGION", default="us-east-1"),
    "access_key": env.str("OBJECT_STORAGE_KEY", default="") or None,
    "secret_key": env.str("OBJECT_STORAGE_SECRET", default="") or None,
    "location": env.str("OBJECT_STORAGE_PREFIX", default="").strip("/"),
    "addressing_style": env.str("OBJECT_STORAGE_ADDRESSING", default="auto"),
}
if OBJECT_STORAGE_BUCKET and bool(OBJECT_STORAGE["access_key"]) != bool(OBJECT_STORAGE["secret_key"]):
    raise ImproperlyConfigured("OBJECT_STORAGE_KEY and OBJECT_STORAGE_SECRET are set together, or neither is.")
STORAGES = {
    "default": (
        {"BACKEND": "infrastructure.files.object_storage.ObjectStorage", "OPTIONS": OBJECT_STORAGE}
        if OBJECT_STORAGE_BUCKET
        else {"BACKEND": "django.core.files.storage.FileSystemStorage"}
    ),
    "staticfiles": {"BACKEND": "config.serving.staticfiles.ModuleManifestStorage"},
}
MAX_CLIP_SECONDS = env.float("MAX_CLIP_SECONDS", default=600.0)
MAX_ARCHIVE_BYTES = env.int("MAX_ARCHIVE_BYTES", default=4 * 1024**3)
CLIP_URL_SECONDS = env.int("CLIP_URL_SECONDS", default=2 * 3600)
EXPORT_DAYS = env.int("EXPORT_DAYS", default=7)
# Days after a campaign closed; nought is for ever.
RETAIN_IDENTITY_DAYS = env.int("RETAIN_IDENTITY_DAYS", default=0)
RETAIN_AUDIO_DAYS = env.int("RETAIN_AUDIO_DAYS", default=0)
#: Audio that manifests name by address: whether in private networks, and the buckets of the object storage.
AUDIO_ON_PRIVATE_ADDRESSES = env.bool("AUDIO_ON_PRIVATE_ADDRESSES", default=False)
AUDIO_BUCKETS = env.list("AUDIO_BUCKETS", default=[])
MODELS_ON_PRIVATE_ADDRESSES = env.bool("MODELS_ON_PRIVATE_ADDRESSES", default=False)
WEBHOOKS_ON_PRIVATE_ADDRESSES = env.bool("WEBHOOKS_ON_PRIVATE_ADDRESSES", default=False)
WEBHOOKS_OVER_HTTP = env.bool("WEBHOOKS_OVER_HTTP", default=False)
JUDGE_WORKER_SLOTS = env.int("JUDGE_WORKER_SLOTS", default=4)
MODELS_FOLDER = env.str("MODELS_FOLDER", default="")
MODELS_CACHE = env.str("MODELS_CACHE", default="")
MODELS_FROM_HUB = env.bool("MODELS_FROM_HUB", default=False)
WHISPER_MODEL = env.str("WHISPER_MODEL", default="")
RESERVATION_MINUTES = env.int("RESERVATION_MINUTES", default=60)

# -- the API --------------------------------------------------------------------------------------------
API_RATE = env.str("API_RATE", default="600/minute")


def _shared(name: str) -> dict[str, object]:
    """One place for all web processes and workers. Without Redis there is only one process."""
    if EMBEDDED:
        options = {"MAX_ENTRIES": 10_000}
        return {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": name, "OPTIONS": options}
    return {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": name,
        "OPTIONS": {"socket_timeout": 1, "socket_connect_timeout": 1},
    }


CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
    "rates": _shared("rates"),
    "looks": _shared("looks"),
}
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "accounts.api.authentication.BearerToken",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["accounts.api.scopes.HasScope"],
    "DEFAULT_THROTTLE_CLASSES": ["accounts.api.rates.PerToken"],
    "DEFAULT_PAGINATION_CLASS": "accounts.api.pages.Pages",
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["accounts.api.bodies.StrictJSON"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "accounts.api.bodies.OneForm",
    "DEFAULT_SCHEMA_CLASS": "accounts.api.schema.Operations",
    "EXCEPTION_HANDLER": "infrastructure.wording.problems.problem",
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Earshot",
    "VERSION": "1",
    "DESCRIPTION": "Everything that the pages do, by the same rights. Tokens are made under your account.",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SERVE_INCLUDE_SCHEMA": False,
    "COMPONENT_SPLIT_REQUEST": True,
    "POSTPROCESSING_HOOKS": ["accounts.api.schema.add_problems", "accounts.api.examples.add_examples"],
}

# -- e-mail, and signing on by OpenID Connect: both off unless they are set up --------------------------------
EMAIL = env.email_url("EMAIL_URL", default="dummymail://")
vars().update(EMAIL)
SENDS_EMAIL = not EMAIL["EMAIL_BACKEND"].endswith("dummy.EmailBackend")
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = env.str("EMAIL_FROM", default="earshot@localhost")
OIDC_ISSUER = env.str("OIDC_ISSUER", default="")
OIDC_CLIENT_ID = env.str("OIDC_CLIENT_ID", default="")
OIDC_CLIENT_SECRET = env.str("OIDC_CLIENT_SECRET", default="")
OIDC_NAME = env.str("OIDC_NAME", default="your institution")
OIDC_SIGN_UP = env.list("OIDC_SIGN_UP", default=[])
if OIDC_ISSUER and not OIDC_CLIENT_ID:
    raise ImproperlyConfigured("OIDC_ISSUER is set, so OIDC_CLIENT_ID has to be, too.")
OTP_TOTP_ISSUER = "Earshot"

# -- language and time ------------------------------------------------------------------------------------
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("de", "Deutsch")]
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
LANGUAGE_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_SAMESITE = "Lax"
LOCALE_PATHS = [BASE_DIR / "locale"]
TIME_ZONE = env.str("TIME_ZONE", default="UTC")
FORMAT_MODULE_PATH = ["config.formats"]
USE_TZ = True

# -- what the browser may do ---------------------------------------------------------------------------------
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "media-src": ["'self'"],
        "form-action": ["'self'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
    }
}
HTTPS = env.bool("HTTPS", default=False)
#: Who may say by X-Forwarded-For and X-Forwarded-Proto for whom they ask, and by which scheme (`config/asgi.py`).
TRUSTED_PROXIES = env.list("TRUSTED_PROXIES", default=["127.0.0.1", "::1"])
for _proxy in TRUSTED_PROXIES:
    try:
        _everybody = ip_network(_proxy).prefixlen == 0
    except ValueError as error:
        raise ImproperlyConfigured(
            f"TRUSTED_PROXIES has addresses and networks such as 10.0.0.0/8: {error}."
        ) from error
    if _everybody:
        raise ImproperlyConfigured(
            f"TRUSTED_PROXIES names everybody ({_proxy}), so that clients could write any address."
        )
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = env.int("HSTS_SECONDS", default=31_536_000) if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS and env.bool("HSTS_SUBDOMAINS", default=False)
SECURE_HSTS_PRELOAD = HTTPS and env.bool("HSTS_PRELOAD", default=False)
#: Both are promises about other names of the domain, which only whoever owns it can give: see the two settings above.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]  # a monitor on the same machine speaks plain HTTP
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

# -- backups: off unless a schedule is set; made by the workers ------------------------------------------------
BACKUP_FOLDER = Path(env.str("BACKUP_FOLDER", default=str(DATA_DIR / "backups")))
BACKUP_EVERY_HOURS = env.float("BACKUP_EVERY_HOURS", default=0.0)
BACKUPS_TO_KEEP = env.int("BACKUPS_TO_KEEP", default=14)
if BACKUP_EVERY_HOURS < 0 or BACKUPS_TO_KEEP < 0:
    raise ImproperlyConfigured("BACKUP_EVERY_HOURS and BACKUPS_TO_KEEP are not negative; 0 switches them off.")

# -- for whoever runs it: what is little room on the disk, figures for Prometheus, the log ------------------------
DISK_LEAST_BYTES = env.int("DISK_LEAST_BYTES", default=2 * 1024**3)
DISK_LEAST_SHARE = env.float("DISK_LEAST_SHARE", default=0.05)
METRICS_TOKEN = env.str("METRICS_TOKEN", default="")
if METRICS_TOKEN and len(METRICS_TOKEN) < 16:
    raise ImproperlyConfigured("METRICS_TOKEN is too easy to guess: give it 16 characters or more, or none.")
LOG_REQUESTS = env.bool("LOG_REQUESTS", default=False)
LOG_FORMAT = env.str("LOG_FORMAT", default="line")
LOG_FORMATTERS = {
    "line": {
        "()": "config.operations.logs.Line",
        "format": "{asctime} {levelname} {name}: {message}",
        "style": "{",
    },
    "json": {"()": "config.operations.logs.JsonLine"},
}
if LOG_FORMAT not in LOG_FORMATTERS:
    raise ImproperlyConfigured(f"LOG_FORMAT is line or json, not {LOG_FORMAT}.")
#: Tasks that come every second or so would fill the log with their coming and going; httpcore would write the headers
#: of answers at LOG_LEVEL=DEBUG, and a server may send a key back in them. FontTools writes forty lines for each PDF.
QUIET = ("celery.app.trace", "celery.beat", "celery.worker.request", "celery.worker.strategy", "httpx", "httpcore",
         "fontTools")  # fmt: skip
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": LOG_FORMATTERS,
    "filters": {"traced": {"()": "config.operations.logs.Traced"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT, "filters": ["traced"]}},
    "root": {"handlers": ["console"], "level": env.str("LOG_LEVEL", default="INFO")},
    "loggers": {name: {"level": "WARNING"} for name in QUIET},
}
