from typing import Any

from drf_spectacular.helpers import forced_singular_serializer
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

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
        told: dict[str, Any] = {
            "username": request.user.username,
            "may_launch": request.user.may_launch,
            "scopes": token.scopes if token else list(SCOPES),
            "expires_at": token and token.expires_at,
        }
        return Response(MeSerializer(told).data)


@extend_schema(exclude=True)
class NothingHere(APIView):
    """What is no address of the API is said so in the API's own shape."""

    authentication_classes = ()
    permission_classes = ()

    def initial(self, *_args: Any, **_kwargs: Any) -> None:
        raise NotFound
