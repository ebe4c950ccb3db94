"""A protocol before it is saved, by the API: what is wrong with it, and what annotators would be asked."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response as Reply

from accounts.api.views import ApiViewSet
from accounts.models import User
from accounts.people.rights import require_launcher
from accounts.tokens.tokens import READ
from campaigns.protocol_composer.api import NewProtocolSerializer, place_in_yaml, place_of
from campaigns.protocol_composer.own_protocols import reasons_against
from infrastructure.templatetags.wording import worded
from protocols import Protocol, document_faults, from_document, to_document
from protocols.documents.examples import example_faults
from protocols.documents.yaml_files import InvalidYaml, from_yaml, to_yaml
from protocols.presentation.preview import N_SHOWN, sample, showable
from protocols.questions import Question, questions


class ProtocolFaultSerializer(serializers.Serializer):
    field = serializers.CharField(help_text="of the document, with dots between its parts")
    message = serializers.CharField()
    suggestion = serializers.CharField(help_text="a name or version that is free")


class PreviewOptionSerializer(serializers.Serializer):
    value = serializers.CharField()
    label = serializers.CharField()


class PreviewQuestionSerializer(serializers.Serializer):
    name = serializers.CharField()
    title = serializers.CharField(help_text="of its aspect")
    text = serializers.CharField()
    options = PreviewOptionSerializer(many=True, help_text="none: it is answered in words")
    required = serializers.BooleanField()


class ProtocolPreviewSerializer(serializers.Serializer):
    faults = ProtocolFaultSerializer(
        many=True, help_text="what stands in the way of saving it; none: it can be saved"
    )
    instructions = serializers.CharField()
    questions = PreviewQuestionSerializer(many=True, help_text="of the aspects that are not at fault")
    yaml = serializers.CharField(help_text="empty where there are faults")


class ProtocolPreviewViewSet(ApiViewSet):
    scopes = {"create": READ}

    @extend_schema(request=NewProtocolSerializer, responses={200: ProtocolPreviewSerializer})
    def create(self, request: Request) -> Reply:
        """See what annotators would be asked by a protocol, and what is wrong with it. Nothing is saved."""
        require_launcher(request.user)
        said = self.checked(NewProtocolSerializer)
        try:
            document = said["document"] if "document" in said else to_document(from_yaml(said["yaml"]))
        except InvalidYaml as fault:
            return _said(None, [_fault(place_in_yaml(fault), str(fault))])
        faults = [_fault(place_of(it), worded(it.reason)) for it in document_faults(document)]
        protocol = None if faults else from_document(document)
        if protocol:
            wrong = example_faults(protocol)
            faults += [_fault(f"document.examples.{place}.answers", worded(why)) for place, why in wrong]
        shown = protocol or showable(document)
        return _said(shown, faults + (_against(shown, document, request.user) if shown else []))


def _against(shown: Protocol, document: dict[str, Any], user: User) -> list[dict[str, str]]:
    """Why it cannot be saved under its name and version, where it has these."""
    return [
        _fault(f"document.{it.field}", str(it), it.suggestion)
        for it in reasons_against(shown, user=user)
        if document.get(it.field)
    ]


def _fault(field: str, message: str, suggestion: str = "") -> dict[str, str]:
    return {"field": field, "message": message, "suggestion": suggestion}


def _said(shown: Protocol | None, faults: list[dict[str, str]]) -> Reply:
    asked = sample(shown) if shown else None
    titles = {it.name: it.title for it in asked.aspects} if asked else {}
    put = questions(asked, n_responses=N_SHOWN[asked.unit]) if asked else ()
    found = {
        "faults": faults,
        "instructions": shown.instructions if shown else "",
        "questions": [_question(it, titles[it.aspect]) for it in put],
        "yaml": to_yaml(shown) if shown and not faults else "",
    }
    return Reply(ProtocolPreviewSerializer(found).data)


def _question(it: Question, title: str) -> dict[str, Any]:
    options = [{"value": option.value, "label": worded(option.label)} for option in it.options]
    return {
        "name": it.name, "title": worded(title), "text": worded(it.text), "options": options, "required": it.required
    }  # fmt: skip
