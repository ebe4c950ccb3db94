"""Whose word counts for the client's address and scheme: the same wherever Earshot runs, whoever serves it."""

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from tests.cases import each
from tests.paths import PROJECT

NETWORKS = ["127.0.0.1", "::1", "10.9.0.0/16"]


def seen(peer: str, *forwarded: str, kind: str = "http", trusted: list[str] = NETWORKS) -> tuple[str, str]:
    """The client's address and the scheme as the app gets them, with X-Forwarded-For as it was sent."""
    got: list[dict[str, Any]] = []

    async def app(scope: Any, _receive: Any, _send: Any) -> None:
        got.append(scope)

    headers = [(b"x-forwarded-for", value.encode()) for value in forwarded] + [(b"x-forwarded-proto", b"https")]
    scope = {"type": kind, "client": (peer, 1), "scheme": "http", "headers": headers}
    asyncio.run(ProxyHeadersMiddleware(app, trusted)(scope, None, None))  # type: ignore[arg-type]
    return got[0]["client"][0], got[0]["scheme"]


def test_application_itself_reads_the_headers_for_pages_and_websockets(tmp_path: Path) -> None:
    (tmp_path / "static").mkdir()
    environment = {"SECRET_KEY": "x", "PATH": "", "EARSHOT_DATA": str(tmp_path), "TRUSTED_PROXIES": "203.0.113.9"}
    asked = "[name in a.trusted_hosts for name in ('203.0.113.9', '127.0.0.1')]"
    show = f"from config.asgi import application as a; print(type(a).__name__, {asked})"
    ran = subprocess.run(
        [sys.executable, "-c", show], cwd=PROJECT, env=environment, capture_output=True, text=True, check=True
    )

    assert ran.stdout.split("\n")[0] == f"{ProxyHeadersMiddleware.__name__} [True, False]"


def test_client_is_not_believed() -> None:
    assert seen("203.0.113.9", "198.51.100.7") == ("203.0.113.9", "http")


def test_proxy_is_believed() -> None:
    assert seen("127.0.0.1", "198.51.100.7") == ("198.51.100.7", "https")
    assert seen("::1", "2001:db8::7") == ("2001:db8::7", "https")
    assert seen("127.0.0.1", "198.51.100.7", kind="websocket") == ("198.51.100.7", "wss")


@each(
    "forwarded",
    [("192.0.2.66, 198.51.100.7",), ("192.0.2.66", "198.51.100.7"), ("192.0.2.66, 198.51.100.7, 10.9.0.4",),
     ("127.0.0.1, 198.51.100.7, 10.9.0.4, 10.9.0.5",), ("nonsense, 198.51.100.7",)],
)  # fmt: skip
def test_address_is_the_rightmost_that_no_trusted_proxy_wrote(forwarded: tuple[str, ...]) -> None:
    assert seen("127.0.0.1", *forwarded)[0] == "198.51.100.7"


def settings_with(value: str) -> subprocess.CompletedProcess[str]:
    environment = {"SECRET_KEY": "x", "PATH": "", "TRUSTED_PROXIES": value}
    show = [sys.executable, "-c", "from config import settings; print(settings.TRUSTED_PROXIES)"]
    return subprocess.run(show, cwd=PROJECT, env=environment, capture_output=True, text=True, check=False)


@each("value", ["*", "0.0.0.0/0", "10.0.0.1,::/0", "proxy.example", "10.0.0.1/8"])
def test_setting_that_trusts_everybody_or_cannot_be_read_stops_the_start(value: str) -> None:
    ran = settings_with(value)

    assert ran.returncode == 1
    assert "TRUSTED_PROXIES" in ran.stderr


def test_setting_takes_addresses_and_networks() -> None:
    assert settings_with("10.0.0.1,10.1.0.0/16,fd00::/8").stdout.startswith("['10.0.0.1', '10.1.0.0/16', 'fd00::/8']")


def test_nobody_else_reads_these_headers() -> None:
    """Django's and uvicorn's own ways to believe them would not ask who sent them, or ask by another setting."""
    source = (PROJECT / "config" / "settings.py").read_text(encoding="utf-8")
    serve = (PROJECT / "config" / "management" / "commands" / "serve.py").read_text(encoding="utf-8")

    assert "SECURE_PROXY_SSL_HEADER" not in source
    assert "USE_X_FORWARDED" not in source
    assert "proxy_headers=False" in serve
    assert not any(
        Path(PROJECT, "docker", name).read_text().count("FORWARDED_ALLOW_IPS")
        for name in ("compose.yml", "env.example")
    )
