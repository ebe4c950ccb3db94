"""Settings, read once from the environment and from `.env` beside manage.py.

Nothing here creates a file or opens a connection. Every variable is described in docs/reference/settings.md.
"""

from pathlib import Path

import environ
from celery.schedules import crontab
from django.core.exceptions import ImproperlyConfigured

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()
env.read_env(BASE_DIR / ".env")

DATA_DIR = Path(env.str("EARSHOT_DATA", default=str(BASE_DIR / "var")))
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
    "campaigns",
    "accounts",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "csp",
    "django_htmx",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "accounts.middleware.LoginRequired",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
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
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
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
    DATABASES["default"]["OPTIONS"] = {
        # IMMEDIATE takes the write lock at BEGIN, so that two writers queue instead of failing halfway.
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        # FULL: an acknowledged answer survives a power cut, not only a killed process.
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA mmap_size=134217728;",
    }
elif DATABASES["default"]["ENGINE"] == "django.db.backends.postgresql":
    DATABASES["default"].setdefault("OPTIONS", {})["pool"] = {
        "min_size": 1,
        "max_size": env.int("DATABASE_POOL", default=20),
    }
    # Without it every pooled connection that a restart of PostgreSQL broke would fail one request.
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True

# -- background work: the database is the truth, the broker only rings the bell --------------------------------
CELERY_BROKER_URL = REDIS_URL or "memory://localhost/"
# How often the worker looks for messages in memory (s): at kombu's second, tasks come faster than they are done.
CELERY_BROKER_TRANSPORT_OPTIONS = {"polling_interval": 0.05} if EMBEDDED else {}
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BEAT_SCHEDULE = {
    "requeue-lost-jobs": {"task": "campaigns.tasks.requeue_lost_jobs_task", "schedule": 10.0},
    "worker-beat": {"task": "campaigns.tasks.beat_task", "schedule": 3.0, "options": {"expires": 3}},
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
    "sweep-abandoned-files": {"task": "campaigns.tasks.sweep_abandoned_files_task", "schedule": 3600.0},
    "watch-exclusions": {"task": "analytics.tasks.watch_exclusions_task", "schedule": 60.0},
    "close-due-campaigns": {"task": "campaigns.tasks.close_due_campaigns_task", "schedule": 60.0},
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
    "clear-expired-sessions": {"task": "accounts.tasks.clear_expired_sessions_task", "schedule": 3600.0},
}
CHANNEL_LAYERS = {
    "default": (
        {"BACKEND": "channels.layers.InMemoryChannelLayer"}
        if EMBEDDED
        else {"BACKEND": "channels_redis.core.RedisChannelLayer", "CONFIG": {"hosts": [REDIS_URL]}}
    )
}

# -- files ---------------------------------------------------------------------------------------------
MEDIA_ROOT = DATA_DIR / "media"
STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "config.staticfiles.ModuleManifestStorage"},
}
MAX_CLIP_SECONDS = env.float("MAX_CLIP_SECONDS", default=600.0)
MAX_ARCHIVE_BYTES = env.int("MAX_ARCHIVE_BYTES", default=4 * 1024**3)
CLIP_URL_SECONDS = env.int("CLIP_URL_SECONDS", default=2 * 3600)
MODELS_ON_PRIVATE_ADDRESSES = env.bool("MODELS_ON_PRIVATE_ADDRESSES", default=False)
JUDGE_LANES = env.int("JUDGE_LANES", default=4)
MODELS_FOLDER = env.str("MODELS_FOLDER", default="")
MODELS_CACHE = env.str("MODELS_CACHE", default="")
MODELS_FROM_HUB = env.bool("MODELS_FROM_HUB", default=False)
WHISPER_MODEL = env.str("WHISPER_MODEL", default="")
RESERVATION_MINUTES = env.int("RESERVATION_MINUTES", default=60)

# -- language and time ------------------------------------------------------------------------------------
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("de", "Deutsch")]
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
LANGUAGE_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_SAMESITE = "Lax"
LOCALE_PATHS = [BASE_DIR / "locale"]
TIME_ZONE = env.str("TIME_ZONE", default="UTC")
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
FORWARDED_ALLOW_IPS = env.str("FORWARDED_ALLOW_IPS", default="127.0.0.1")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = env.int("HSTS_SECONDS", default=31_536_000) if HTTPS else 0
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]  # a monitor on the same machine speaks plain HTTP
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

#: Tasks that come every second or so would fill the log with their coming and going.
QUIET = ("celery.app.trace", "celery.beat", "celery.worker.request", "celery.worker.strategy", "httpx")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": env.str("LOG_LEVEL", default="INFO")},
    "loggers": {name: {"level": "WARNING"} for name in QUIET},
}
