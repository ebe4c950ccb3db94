"""Single sign-on by OpenID Connect, off unless settings name a provider. Authlib checks what the provider says."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import requests
from authlib.common.errors import AuthlibBaseError
from authlib.integrations.django_client import OAuth
from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.crypto import get_random_string
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from joserfc.errors import JoseError

from accounts.audit_log.entries import AuditEvent, Subject, record
from accounts.models import Identity, User
from accounts.usernames import looks_like_another

TIMEOUT_S = 10
#: Lets all users of the provider sign up.
ANY_DOMAIN = "*"
SIGNED_UP = AuditEvent("sign_on_signed_up", gettext_lazy("The account was made by single sign-on."))
LINKED = AuditEvent("sign_on_linked", gettext_lazy("The account was linked to the single sign-on."))
UNLINKED = AuditEvent("sign_on_unlinked", gettext_lazy("The account was unlinked from the single sign-on."))
#: What goes wrong at the provider, on the way there, or with what it says.
ProviderFailed = (
    AuthlibBaseError,
    JoseError,
    requests.RequestException,
    RuntimeError,
    LookupError,
    TypeError,
    ValueError,
)


class Refused(ValueError):
    """The log-in is refused. The message is for the person who tries."""


def is_on() -> bool:
    return bool(settings.OIDC_ISSUER)


def to_provider(request: HttpRequest) -> HttpResponse:
    """Off to the provider, with state, nonce and PKCE. Raises Refused."""
    try:
        return _client().authorize_redirect(request, request.build_absolute_uri(reverse("sign-on-back")))  # type: ignore[no-any-return]
    except ProviderFailed as error:
        raise Refused(_("The sign-on cannot be reached at the moment.")) from error


def claims_from(request: HttpRequest) -> Mapping[str, Any]:
    """The provider's claims about the returning user: signed, for us, for this very visit. Raises Refused."""
    expected = {"iss": {"essential": True, "values": [settings.OIDC_ISSUER]}, "sub": {"essential": True}}
    client = _client()
    try:
        token = client.authorize_access_token(request, claims_options=expected)
        claims = token["userinfo"]
        return claims if _suffices(claims) else _with_userinfo(client, token)
    except ProviderFailed as error:
        raise Refused(_("The sign-on did not work. Please try again.")) from error


def _suffices(claims: Mapping[str, Any]) -> bool:
    """Whether the ID token alone says whose account this is."""
    return {"email", "email_verified"} <= claims.keys() or _identities(claims["sub"]).exists()


def _with_userinfo(client: Any, token: Mapping[str, Any]) -> Mapping[str, Any]:
    """The ID token's claims with those of the userinfo endpoint, where most providers put the e-mail address.

    OpenID Connect Core 1.0, 5.4; its subject has to be that of the ID token (5.3.2). The address is taken together
    with whether it is verified, never one from here and the other from there. Raises one of ProviderFailed.
    """
    claims: Mapping[str, Any] = token["userinfo"]
    if not client.load_server_metadata().get("userinfo_endpoint"):
        return claims
    more = client.userinfo(token=token)
    if more["sub"] != claims["sub"]:
        raise ValueError("The userinfo endpoint answered for another subject.")
    address = {name: more.get(name) for name in ("email", "email_verified")}
    return {**more, **claims, **address}


@transaction.atomic
def account_of(claims: Mapping[str, Any]) -> User:
    """The account that is linked; else the one with this verified address, or a new one. Raises Refused."""
    identity = _identities(claims["sub"]).select_related("user").first()
    user = identity.user if identity else None
    if user is None:
        known = _by_email(claims)
        user = known or _signed_up(claims)
        _link(user, str(claims["sub"]), LINKED if known else SIGNED_UP)
    if not user.is_active:
        raise Refused(_("This account was closed."))
    return user


def link(user: User, subject: str) -> None:
    """Link this account to the provider's subject. Raises Refused for guests, and where another account is linked."""
    if user.is_guest:
        raise Refused(_("Guests only label. Keep your account under a name first."))
    taken = _identities(subject).first()
    if taken is None:
        _link(user, subject, LINKED)
    elif taken.user_id != user.pk:
        raise Refused(_("Another account is linked to this sign-on already."))


@transaction.atomic
def unlink(user: User) -> None:
    """Undo `link`, for every subject of this issuer. Raises Refused where nothing else would let the person in."""
    if not user.has_usable_password():
        raise Refused(_("Without a password you could not log in any more. Ask an administrator for one first."))
    if user.identities.filter(issuer=settings.OIDC_ISSUER).delete()[0]:
        record(UNLINKED, by=user, kind=Subject.ACCOUNT, number=user.pk)


def _identities(subject: str) -> QuerySet[Identity]:
    return Identity.objects.filter(issuer=settings.OIDC_ISSUER, subject=subject)


def _link(user: User, subject: str, event: AuditEvent) -> None:
    try:
        with transaction.atomic():
            Identity.objects.create(user=user, issuer=settings.OIDC_ISSUER, subject=subject)
            record(event, by=user, kind=Subject.ACCOUNT, number=user.pk)
    except IntegrityError as error:
        raise Refused(_("The sign-on did not work. Please try again.")) from error


def _verified_email(claims: Mapping[str, Any]) -> str:
    return str(claims.get("email") or "") if claims.get("email_verified") is True else ""


def _by_email(claims: Mapping[str, Any]) -> User | None:
    """The one account with this address. Ours are confirmed, too; an address of two accounts matches neither."""
    email = _verified_email(claims)
    found = list(User.objects.filter(email__iexact=email, is_active=True, is_guest=False)[:2]) if email else []
    return found[0] if len(found) == 1 else None


def _signed_up(claims: Mapping[str, Any]) -> User:
    """Raises Refused for those who may not."""
    email = _verified_email(claims)
    domain = email.rpartition("@")[2].casefold()
    allowed = {it.casefold() for it in settings.OIDC_SIGN_UP}
    if not email or not ({ANY_DOMAIN, domain} & allowed):
        raise Refused(_("You have no account here. Ask an administrator of this installation."))
    if User.objects.filter(email__iexact=email).exists():
        raise Refused(_("There is an account with this address. Log in to it, and link it on its page."))
    return User.objects.create_user(username=_free_name(claims, email), email=email)


def _free_name(claims: Mapping[str, Any], email: str) -> str:
    """What the provider calls them; with six letters more where an account has that name or one that looks alike."""
    wanted = str(claims.get("preferred_username") or email.partition("@")[0])
    name = "".join(letter for letter in wanted if letter.isalnum() or letter in "@.+-_")[:120] or "person"
    if User.objects.named(name).exists() or looks_like_another(name):
        return f"{name}-{get_random_string(6, '23456789abcdefghjkmnpqrstuvwxyz')}"
    return name


def _client() -> Any:
    return _registered(settings.OIDC_ISSUER, settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET)


@cache
def _registered(issuer: str, client_id: str, client_secret: str) -> Any:
    oauth = OAuth()
    return oauth.register(
        name="oidc",
        client_id=client_id,
        client_secret=client_secret,
        server_metadata_url=issuer.rstrip("/") + "/.well-known/openid-configuration",
        client_kwargs={
            "scope": "openid email profile", "code_challenge_method": "S256", "default_timeout": TIMEOUT_S
        },
    )  # fmt: skip
