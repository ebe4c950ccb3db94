"""What a token is for. What its owner may do is asked by the actions and queries, as it is for pages."""

from typing import Any

from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from accounts.models import ApiToken


class HasScope(BasePermission):
    """The user is logged in, and a token has this scope. A session has every scope."""

    def has_permission(self, request: Request, view: Any) -> bool:
        if not request.user.is_authenticated:
            return False
        if not isinstance(request.auth, ApiToken):
            return True
        needed = view.needed_scope()
        self.message = f"This token is not for this: it lacks the scope {needed}."
        return needed in request.auth.scopes
