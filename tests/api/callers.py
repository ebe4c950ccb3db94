"""Somebody with a token."""

from collections.abc import Iterable

from rest_framework.test import APIClient

from accounts.models import User
from accounts.tokens.tokens import SCOPES, make_token


def caller(user: User, scopes: Iterable[str] = SCOPES) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {make_token(user, name='test', scopes=scopes, days=1)[1]}")
    return client
