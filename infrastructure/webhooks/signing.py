"""Signatures of Standard Webhooks 1.0.0: HMAC-SHA256 over id, timestamp and body. Pure.

Source: github.com/standard-webhooks/standard-webhooks, spec/standard-webhooks.md.
"""

import base64
import hashlib
import hmac
import secrets

PREFIX = "whsec_"
#: Bytes; the specification wants 24 to 64.
SECRET_BYTES = 32


def new_secret() -> str:
    return PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def signature(secret: str, *, message_id: str, timestamp: int, body: bytes) -> str:
    """What stands in the header `webhook-signature`.

    >>> signature("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", message_id="msg_p5jXN8AQM9LWM0D4loKWxJek",
    ...           timestamp=1614265330, body=b'{"test": 2432232314}')
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='
    """
    key = base64.b64decode(secret.removeprefix(PREFIX))
    signed = f"{message_id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


def headers(secret: str, *, message_id: str, timestamp: int, body: bytes) -> dict[str, str]:
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": signature(secret, message_id=message_id, timestamp=timestamp, body=body),
    }
