"""The description of the API (OpenAPI): what follows from the code, and what every operation has."""

import re
from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema

from accounts.api.problems import CONTENT_TYPE, ProblemSerializer
from accounts.api.repetition import HEADER, MAX_KEY

KEY = {
    "in": "header",
    "name": HEADER,
    "schema": {"type": "string", "maxLength": MAX_KEY, "pattern": "^[!-~]*$"},
    "description": "Of your choice, new for every request. Sent again within a day, a request gets the same reply.",
}


#: What there is, by the last collection that an address names; the first of several tags of a theme.
THEMES = {
    "Accounts": ("me", "people", "audit-log"),
    "Datasets": ("datasets", "systems", "items", "responses", "imports", "recipes", "uploads"),
    "Measurements": ("metrics", "likelihoods", "features", "identity-leaks", "numbers"),
    "Protocols": ("protocols", "protocol-previews"),
    "Campaigns": ("campaigns", "units", "checks", "entry-gates", "arena", "progress", "rating-plan", "retention"),
    "Rubrics": ("rubric", "rubric-items", "criteria", "criteria-drafts"),
    "People of a campaign": ("members", "invitations", "consent-texts"),
    "Labelling": ("label", "assignments", "clips"),
    "Quality and review": ("annotators", "quality-rules", "review"),
    "Judges": ("judges", "models", "runs", "verdicts", "probes"),
    "Results": ("answers", "comparison", "standing", "label-sets"),
    "Reports": ("report-kinds", "reports", "asked-reports", "shares"),
    "Exports": ("export-formats", "exports"),
    "Background work": ("jobs", "backups", "storage"),
    "Webhooks": ("webhooks", "deliveries"),
}
TAGS = {part: theme for theme, parts in THEMES.items() for part in parts}


class Operations(AutoSchema):
    """Operations are named by app and action; each lists the problems with which it may be refused."""

    def get_tags(self) -> list[str]:
        """The theme of the last collection in the address: `campaigns/{campaign}/reports/` is about reports."""
        parts = [it for it in self.path.removeprefix("/api/v1/").split("/") if it in TAGS]
        return [TAGS[parts[-1]]]

    def get_summary(self) -> str:
        """The first sentence of what the view says of itself."""
        said: str = super().get_description()
        first = re.split(r"(?<=[.?!])\s", said.strip(), maxsplit=1)[0]
        return first.removesuffix(".")

    def get_description(self) -> str:
        return f"{super().get_description()}\n\nScope of the token: `{self.view.needed_scope()}`.".strip()

    def get_operation(self, *args: Any, **kwargs: Any) -> Any:
        operation = super().get_operation(*args, **kwargs)
        self.resolve_serializer(ProblemSerializer, "response")
        return operation


class BearerTokenScheme(OpenApiAuthenticationExtension):
    target_class = "accounts.api.authentication.BearerToken"
    name = "token"

    def get_security_definition(self, _auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer"}


def add_problems(result: Any, **_kwargs: Any) -> Any:
    """Every refusal has one shape, and every POST may bring a key."""
    refusal = {
        "description": "A problem (RFC 9457)",
        "content": {CONTENT_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    for operations in result["paths"].values():
        for method, operation in operations.items():
            operation["responses"]["4XX"] = operation["responses"]["5XX"] = refusal
            if method == "post":
                operation.setdefault("parameters", []).append(KEY)
    return result
