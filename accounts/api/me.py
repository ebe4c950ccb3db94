from typing import Any

from drf_spectacular.helpers import forced_singular_serializer
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.views import ApiViewSet
from accounts.models import ApiToken
from accounts.tokens.tokens import SCOPES


class MeSerializer(serializers.Serializer):
    username = serializers.CharField()
    may_launch = serializers.BooleanField(help_text="import datasets, make campaigns and judges")
    scopes = serializers.ListField(child=serializers.ChoiceField(list(SCOPES)), help_text="of the token")
    expires_at = serializers.DateTimeField(allow_null=True, help_text="of the token")


class MeViewSet(ApiViewSet):
    def needed_scope(self) -> str:
        """Whatever the token is for, it may say whose it is."""
        held = getattr(self.request, "auth", None)
        return str(held.scopes[0]) if isinstance(held, ApiToken) else super().needed_scope()

    @extend_schema(responses=forced_singular_serializer(MeSerializer))
    def list(self, request: Request) -> Response:
        """Who is asking, and what their token is for."""
        token = request.auth if isinstance(request.auth, ApiToken) else None
        data: dict[str, Any] = {
            "username": request.user.username,
            "may_launch": request.user.may_launch,
            "scopes": token.scopes if token else list(SCOPES),
            "expires_at": token and token.expires_at,
        }
        return Response(MeSerializer(data).data)
