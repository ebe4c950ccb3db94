"""Who asks: a program with a token, or a browser with its session. A token opens nothing but the API."""

from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from accounts.models import ApiToken, User
from accounts.tokens.tokens import note_use, token_behind

SCHEME = "Bearer"


class BearerToken(BaseAuthentication):
    """`Authorization: Bearer earshot_…`."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        scheme, _space, text = get_authorization_header(request).decode("latin-1").partition(" ")
        if scheme.lower() != SCHEME.lower():
            return None
        if (row := token_behind(text.strip())) is None:
            raise AuthenticationFailed("This token is not valid, or not any more.", "invalid_token")
        note_use(row)
        return row.user, row

    def authenticate_header(self, _request: Request) -> str:
        return SCHEME
