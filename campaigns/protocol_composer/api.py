from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response as Reply

from accounts.api.problems import Conflict, Unprocessable
from accounts.people.rights import require_launcher
from campaigns.protocol_composer.known_protocols import Known, known_protocol, own_versions
from campaigns.protocol_composer.own_protocols import NotSaved, save_version
from infrastructure.deletion.api import RenamableViewSet
from infrastructure.templatetags.wording import worded
from protocols import SHIPPED, Protocol, from_document, to_document
from protocols.documents.examples import example_faults
from protocols.documents.plain import InvalidDocument, document_faults
from protocols.documents.yaml_files import MAX_BYTES, InvalidYaml, from_yaml


class ProtocolSerializer(serializers.Serializer):
    reference = serializers.CharField(help_text="name/version, as campaigns are made with it")
    title = serializers.CharField(source="protocol.title")
    unit = serializers.ChoiceField(["pair", "single", "item"], source="protocol.unit")


class ProtocolDocumentSerializer(ProtocolSerializer):
    document = serializers.SerializerMethodField()

    def get_document(self, known: Known) -> dict[str, Any]:
        return to_document(known.protocol)


class NewProtocolSerializer(serializers.Serializer):
    document = serializers.DictField(required=False, help_text="as `document` of another one shows it")
    yaml = serializers.CharField(
        required=False, max_length=MAX_BYTES, trim_whitespace=False, help_text="in its place, as people write it"
    )
    based_on = serializers.CharField(
        default="", allow_blank=True, max_length=101, help_text="name/version of what it was made from"
    )

    def validate(self, said: dict[str, Any]) -> dict[str, Any]:
        if ("document" in said) == ("yaml" in said):
            raise serializers.ValidationError("Send a document or its YAML, one of the two.")
        return said


class ProtocolViewSet(RenamableViewSet):
    """All versions of a protocol are renamed, archived and deleted together, by its name."""

    subject_kind = "protocol"
    lookup_field = "name"
    lookup_value_converter = "slug"
    pagination_class = None

    @extend_schema(responses=ProtocolSerializer(many=True))
    def list(self, request: Request) -> Reply:
        """Every protocol that a campaign may be made with, all versions of your own included."""
        require_launcher(request.user)
        own = [Known(row.protocol, row) for rows in own_versions() for row in rows]
        known = own + [Known(protocol) for protocol in SHIPPED.values()]
        return Reply(ProtocolSerializer(known, many=True).data)

    @extend_schema(responses=ProtocolDocumentSerializer)
    def document(self, request: Request, name: str, version: str) -> Reply:
        """One version, with everything that it asks."""
        require_launcher(request.user)
        if (known := known_protocol(f"{name}/{version}")) is None:
            raise Http404("There is no such protocol.")
        return Reply(ProtocolDocumentSerializer(known).data)

    @extend_schema(request=NewProtocolSerializer, responses={201: ProtocolDocumentSerializer})
    def create(self, request: Request) -> Reply:
        """A version of a protocol of your own. Versions never change; the same content again is the same version."""
        require_launcher(request.user)
        said = self.checked(NewProtocolSerializer)
        protocol = _of_document(said["document"]) if "document" in said else _of_yaml(said["yaml"])
        if said["based_on"] and known_protocol(said["based_on"]) is None:
            raise Unprocessable("There is no such protocol to begin with.", [("based_on", "There is none.")])
        try:
            row = save_version(protocol, user=request.user, based_on=said["based_on"])
        except NotSaved as refusal:
            sentences = [str(refusal), *([f"Free is: {refusal.suggestion}"] if refusal.suggestion else [])]
            raise Conflict(refusal, [(f"document.{refusal.field}", it) for it in sentences]) from refusal
        return Reply(ProtocolDocumentSerializer(Known(row.protocol, row)).data, status=201)


def _of_document(document: dict[str, Any]) -> Protocol:
    """Raises Unprocessable with every fault at its field."""
    if faults := document_faults(document):
        raise Unprocessable("This is not a protocol.", [(place_of(fault), worded(fault.reason)) for fault in faults])
    protocol = from_document(document)
    if wrong := list(example_faults(protocol)):
        errors = [(f"document.examples.{place}.answers", reason) for place, reason in wrong]
        raise Unprocessable("Nobody should learn from answers that cannot be given.", errors)
    return protocol


def _of_yaml(text: str) -> Protocol:
    """Raises Unprocessable with the fault at its field and its line."""
    try:
        return _of_document(to_document(from_yaml(text)))
    except InvalidYaml as fault:
        raise Unprocessable("This is not a protocol.", [(place_in_yaml(fault), fault)]) from fault


def place_in_yaml(fault: InvalidYaml) -> str:
    cause = fault.__cause__
    return place_of(cause) if isinstance(cause, InvalidDocument) else "yaml"


def place_of(fault: InvalidDocument) -> str:
    return ".".join(["document", *map(str, fault.path)])
