"""The accounts of the installation, for its administrators. Tokens need a scope of their own for it."""

from collections.abc import Callable
from typing import Any

from django.http import Http404
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response as Reply

from accounts.api.problems import Conflict, cleaned
from accounts.api.views import ApiViewSet
from accounts.models import ApiToken, User
from accounts.people.accounts import (
    change_person,
    disable_account,
    enable_account,
    log_out_everywhere,
    make_account,
)
from accounts.people.deletion import delete_account
from accounts.people.forms import AccountForm, PersonForm
from accounts.people.handing_over import hand_over
from accounts.people.listing import Show, Wanted, accounts_of_installation, last_seen
from accounts.people.rights import CannotChange, InstallationRight, require_administrator
from accounts.tokens.tokens import PEOPLE, revoke_token

LINK = "by which they choose a password, shown once; empty where it was sent to their e-mail address"


class PersonSerializer(serializers.ModelSerializer):
    is_administrator = serializers.BooleanField(source="is_superuser")
    has_second_factor = serializers.BooleanField()
    last_seen_at = serializers.SerializerMethodField(help_text="logged in, used a token or was at work")

    class Meta:
        model = User
        fields = ["id", "username", "email", "is_researcher", "is_administrator", "is_active", "has_second_factor",
                  "date_joined", "last_seen_at"]  # fmt: skip
        extra_kwargs = {"is_active": {"help_text": "false for a disabled account"}}

    @extend_schema_field(serializers.DateTimeField(allow_null=True))
    def get_last_seen_at(self, row: User) -> object:
        return self.context["seen"].get(row.pk)


class NewPersonSerializer(serializers.Serializer):
    username = serializers.CharField(max_length=150)
    email = serializers.EmailField(required=False, default="", allow_blank=True, max_length=254)
    is_researcher = serializers.BooleanField(default=False, help_text="may import datasets and launch campaigns")


class ChangedPersonSerializer(serializers.Serializer):
    """What is not named stays."""

    username = serializers.CharField(max_length=150, required=False)
    email = serializers.EmailField(required=False, allow_blank=True, max_length=254)
    is_researcher = serializers.BooleanField(required=False)
    is_administrator = serializers.BooleanField(required=False)


class PersonWithLinkSerializer(PersonSerializer):
    password_link = serializers.CharField(help_text=LINK, allow_blank=True, read_only=True)

    class Meta(PersonSerializer.Meta):
        fields = [*PersonSerializer.Meta.fields, "password_link"]


class PasswordLinkSerializer(serializers.Serializer):
    password_link = serializers.CharField(help_text=LINK, allow_blank=True)


class DeletionSerializer(serializers.Serializer):
    with_answers = serializers.BooleanField(default=False)
    with_texts = serializers.BooleanField(default=False)


class TokenSerializer(serializers.ModelSerializer):
    scopes = serializers.ListField(child=serializers.CharField())

    class Meta:
        model = ApiToken
        fields = ["id", "name", "hint", "scopes", "created_at", "expires_at", "last_used_at", "revoked_at"]


class PersonViewSet(ApiViewSet):
    lookup_value_converter = "int"
    not_stored = ("password_link",)

    def needed_scope(self) -> str:
        return PEOPLE

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Nothing here is for others, whatever the body."""
        super().initial(request, *args, **kwargs)
        require_administrator(request.user)

    @extend_schema(
        responses=PersonSerializer(many=True),
        parameters=[
            OpenApiParameter("q", description="part of the username or of the e-mail address"),
            OpenApiParameter("show", enum=[it.value for it in Show if it != Show.GUESTS]),
        ],
    )
    def list(self, request: Request) -> Reply:
        """The accounts of this installation, without guests."""
        show = request.query_params.get("show", "")
        known = show in set(Show) - {Show.GUESTS}
        wanted = Wanted(search=request.query_params.get("q", "").strip(), show=Show(show) if known else Show.ALL)
        return self.page(accounts_of_installation(wanted), PersonSerializer)

    @extend_schema(request=NewPersonSerializer, responses={201: PersonWithLinkSerializer})
    def create(self, _request: Request) -> Reply:
        """Make an account, and a link by which its owner chooses a password."""
        data = cleaned(AccountForm(self.checked(NewPersonSerializer)))
        made = self._done(make_account, **data)
        return Reply(self._said(made.pk) | self._link(made), status=201)

    @extend_schema(responses=PersonSerializer)
    def retrieve(self, _request: Request, pk: int) -> Reply:
        """One account."""
        return Reply(self._said(pk))

    @extend_schema(request=ChangedPersonSerializer, responses=PersonSerializer)
    def partial_update(self, _request: Request, pk: int) -> Reply:
        """Change the username, the e-mail address or the rights."""
        found = self._person(pk)
        said = self.checked(ChangedPersonSerializer, partial=True)
        names = {name: said.get(name, getattr(found, name)) for name in ("username", "email")}
        rights = {it: said[f"is_{it}"] for it in InstallationRight if f"is_{it}" in said}
        self._done(change_person, found, rights=rights, **cleaned(PersonForm(names, instance=self._person(pk))))
        return Reply(self._said(pk))

    @extend_schema(
        responses={204: None},
        parameters=[
            OpenApiParameter("with_answers", bool, description="leave its answers out of everything from now on"),
            OpenApiParameter("with_texts", bool, description="remove what it wrote as a reviewer"),
        ],
    )
    def destroy(self, request: Request, pk: int) -> Reply:
        """Delete a disabled account for good: its answers stay, under a number."""
        found = self._person(pk)
        read = DeletionSerializer(data=request.query_params.dict())
        read.is_valid(raise_exception=True)
        self._done(delete_account, found, typed=found.username, **read.validated_data)
        return Reply(status=204)

    @extend_schema(request=None, responses=PersonSerializer)
    @action(detail=True, methods=["post"])
    def disable(self, _request: Request, pk: int) -> Reply:
        """Log the person out everywhere and keep them out. Can be undone."""
        self._done(disable_account, self._person(pk))
        return Reply(self._said(pk))

    @extend_schema(request=None, responses=PersonSerializer)
    @action(detail=True, methods=["post"])
    def enable(self, _request: Request, pk: int) -> Reply:
        """Let the person log in again."""
        self._done(enable_account, self._person(pk))
        return Reply(self._said(pk))

    @extend_schema(request=None, responses=PersonSerializer)
    @action(detail=True, methods=["post"], url_path="log-out")
    def log_out(self, _request: Request, pk: int) -> Reply:
        """End every session of the person."""
        self._done(log_out_everywhere, self._person(pk))
        return Reply(self._said(pk))

    @extend_schema(request=None, responses=PasswordLinkSerializer)
    @action(detail=True, methods=["post"])
    def password(self, _request: Request, pk: int) -> Reply:
        """Make a link by which the person chooses a new password."""
        return Reply(self._link(self._person(pk)))

    @extend_schema(responses=TokenSerializer(many=True))
    @action(detail=True)
    def tokens(self, _request: Request, pk: int) -> Reply:
        """The person's access tokens, without their text."""
        return self.page(self._person(pk).api_tokens.all(), TokenSerializer)

    @extend_schema(request=None, responses={204: None})
    @action(detail=True, methods=["delete"], url_path="tokens/<int:token>")
    def token(self, request: Request, pk: int, token: int) -> Reply:
        """Revoke an access token, for good."""
        row = self._person(pk).api_tokens.filter(pk=token).first()
        if row is None:
            raise Http404("This person has no such token.")
        revoke_token(row, by=request.user)
        return Reply(status=204)

    def page(self, rows: Any, serializer: type[Any]) -> Reply:
        found = self.paginate_queryset(rows)
        seen = last_seen(found) if serializer is PersonSerializer else {}
        read = serializer(found, many=True, context=self.get_serializer_context() | {"seen": seen})
        response: Reply = self.get_paginated_response(read.data)
        return response

    def _person(self, pk: int) -> User:
        if (found := accounts_of_installation().filter(pk=pk).first()) is None:
            raise Http404("There is no such account.")
        return found

    def _said(self, pk: int) -> dict[str, Any]:
        found = self._person(pk)
        said: dict[str, Any] = PersonSerializer(found, context={"seen": last_seen([found])}).data
        return said

    def _link(self, person: User) -> dict[str, str]:
        handed = hand_over(self.request, person, by=self.request.user)
        return {"password_link": handed.link}

    def _done(self, act: Callable[..., User], *given: Any, **named: Any) -> User:
        try:
            return act(*given, by=self.request.user, **named)
        except CannotChange as refusal:
            raise Conflict(refusal) from refusal
