"""A provider of single sign-on on this machine: discovery, keys, the page that sends back, tokens. It can lie."""

import hashlib
import json
import threading
import time
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT, SECRET = "earshot", "provider-secret"


class Provider:
    """Says `claims` of whoever comes; `forged` replaces what an honest provider would have said of the token.

    `userinfo` is what its userinfo endpoint answers; None is a server error there.
    """

    def __init__(self) -> None:
        self.key = RSAKey.generate_key(2048, {"kid": "k1", "use": "sig", "alg": "RS256"})
        self.signing_key = self.key
        self.claims: dict[str, Any] = {"sub": "s-1", "email": "lena@lab.example", "email_verified": True}
        self.forged: dict[str, Any] = {}
        self.userinfo: dict[str, Any] | None = {}
        self.asked: list[dict[str, str]] = []
        self._codes: dict[str, dict[str, str]] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.issuer = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def sent_back(self, address: str) -> dict[str, str]:
        """The parameters with which the person comes back who was sent to this address of the provider's."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        self.asked.append(asked)
        code = f"code-{len(self.asked)}"
        self._codes[code] = asked
        return {"code": code, "state": asked["state"]}

    def _discovery(self) -> dict[str, Any]:
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "userinfo_endpoint": f"{self.issuer}/userinfo",
            "jwks_uri": f"{self.issuer}/keys",
            "id_token_signing_alg_values_supported": ["RS256"],
            "code_challenge_methods_supported": ["S256"],
        }

    def _tokens(self, form: dict[str, str]) -> tuple[int, dict[str, Any]]:
        asked = self._codes.pop(form.get("code", ""), None)
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = urlsafe_b64encode(digest).decode().rstrip("=")
        if asked is None or asked["code_challenge"] != challenge:
            return 400, {"error": "invalid_grant"}
        now = int(time.time())
        said = {"iss": self.issuer, "aud": CLIENT, "iat": now, "exp": now + 300, "nonce": asked["nonce"]}
        token = jwt.encode({"alg": "RS256", "kid": "k1"}, said | self.claims | self.forged, self.signing_key)
        return 200, {"access_token": "a", "token_type": "Bearer", "id_token": token}

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        fake = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if self.path.startswith("/authorize?"):
                    return self._send_back()
                if self.path == "/userinfo":
                    return self._say(500 if fake.userinfo is None else 200, fake.userinfo or {})
                pages = {
                    "/.well-known/openid-configuration": fake._discovery(),
                    "/keys": {"keys": [fake.key.as_dict(private=False)]},
                }
                return self._say(200, pages[self.path])

            def _send_back(self) -> None:
                """Whoever comes is logged in there already."""
                back = fake.sent_back(self.path)
                self.send_response(302)
                self.send_header("Location", f"{fake.asked[-1]['redirect_uri']}?{urlencode(back)}")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def do_POST(self) -> None:
                form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
                self._say(*fake._tokens({name: values[0] for name, values in form.items()}))

            def _say(self, status: int, document: dict[str, Any]) -> None:
                content = json.dumps(document).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_args: Any) -> None:
                """Nothing is printed."""

        return Handler


@contextmanager
def providing() -> Iterator[Provider]:
    provider = Provider()
    try:
        yield provider
    finally:
        provider.close()
