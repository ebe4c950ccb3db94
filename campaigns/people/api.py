"""Invitation links of a campaign, and what annotators agree to before they begin."""

from typing import Any

from django.db.models import Count, QuerySet
from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response as Reply

from accounts.api.pages import Pages
from accounts.api.problems import Unprocessable, cleaned
from accounts.api.views import ApiViewSet
from campaigns.access import Right, campaign_for
from campaigns.models import ConsentText, Invitation, Outcome, Panel
from campaigns.people.consent import MAX_LENGTH, new_version
from campaigns.people.invitation_forms import ONE_USE, REUSABLE, ConsentForm, InvitationForm
from campaigns.people.invitations import MOST_AT_ONCE, InvalidInvitation, make_invitations, revoke_invitation
from campaigns.people.panels import PLACEHOLDERS

CODES = [f"code_{outcome}" for outcome in Outcome.values]


class InvitationSerializer(serializers.ModelSerializer):
    link = serializers.SerializerMethodField(help_text="for the people who are invited, or for the panel")
    used = serializers.IntegerField(help_text="by so many people")

    class Meta:
        model = Invitation
        fields = ["id", "link", "used", "max_uses", "expires_at", "allows_guests", "minutes", "note", "panel",
                  "return_url", *CODES, "created_at", "revoked_at"]  # fmt: skip

    def get_link(self, row: Invitation) -> str:
        link: str = self.context["request"].build_absolute_uri(row.get_absolute_url())
        return link + PLACEHOLDERS.get(row.panel, "")


class MadeInvitationsSerializer(serializers.Serializer):
    invitations = InvitationSerializer(many=True)


class NewInvitationsSerializer(serializers.Serializer):
    """As the form of the page; what is not named is as that begins with."""

    kind = serializers.ChoiceField([ONE_USE, REUSABLE], default=ONE_USE, help_text="for one person each, or several")
    how_many = serializers.IntegerField(
        min_value=1, max_value=MOST_AT_ONCE, default=1, help_text="links for one person each"
    )
    max_uses = serializers.IntegerField(
        min_value=1, max_value=1_000_000, required=False, allow_null=True, help_text="of a link for several people"
    )
    expires_at = serializers.DateTimeField(required=False, allow_null=True)
    minutes = serializers.IntegerField(min_value=1, max_value=100_000, required=False, allow_null=True)
    note = serializers.CharField(max_length=200, default="", allow_blank=True, help_text="only managers see it")
    allows_guests = serializers.BooleanField(default=True, help_text="let people in without an account")
    panel = serializers.ChoiceField(Panel.values, default=Panel.NONE.value)
    return_url = serializers.CharField(max_length=500, default="", allow_blank=True)
    code_completed = serializers.CharField(max_length=60, default="", allow_blank=True)
    code_screened_out = serializers.CharField(max_length=60, default="", allow_blank=True)
    code_failed_check = serializers.CharField(max_length=60, default="", allow_blank=True)
    code_no_consent = serializers.CharField(max_length=60, default="", allow_blank=True)


class ConsentTextSerializer(serializers.ModelSerializer):
    agreed = serializers.IntegerField(help_text="by so many people")

    class Meta:
        model = ConsentText
        fields = ["version", "text", "made_at", "agreed"]


class NewConsentTextSerializer(serializers.Serializer):
    text = serializers.CharField(max_length=MAX_LENGTH)


class InvitationViewSet(ApiViewSet):
    lookup_value_converter = "int"

    def rows(self) -> QuerySet[Invitation]:
        row = campaign_for(self.request.user, self.kwargs["campaign"], Right.INVITE)
        return row.invitations.annotate(used=Count("arrivals"))

    @extend_schema(responses=InvitationSerializer(many=True))
    def list(self, _request: Request, campaign: str) -> Reply:
        """The invitation links, with how many people came by each."""
        del campaign
        return self.page(self.rows(), InvitationSerializer)

    @extend_schema(request=NewInvitationsSerializer, responses={201: MadeInvitationsSerializer})
    def create(self, request: Request, campaign: str) -> Reply:
        """Make one or several invitation links."""
        row = campaign_for(request.user, campaign, Right.INVITE)
        form = InvitationForm(self.checked(NewInvitationsSerializer))
        cleaned(form)
        try:
            made = make_invitations(row, terms=form.terms, user=request.user, how_many=form.how_many_links)
        except InvalidInvitation as refusal:
            raise Unprocessable("Links cannot be made like this.", list(refusal.errors.items())) from refusal
        rows = self.rows().filter(pk__in=[it.pk for it in made]).order_by("pk")
        context: dict[str, Any] = self.get_serializer_context()
        return Reply(MadeInvitationsSerializer({"invitations": rows}, context=context).data, status=201)

    @extend_schema(responses={204: None})
    def destroy(self, request: Request, campaign: str, pk: int) -> Reply:
        """Close a link. People who came by it stay."""
        del campaign
        if (row := self.rows().filter(pk=pk).first()) is None:
            raise Http404("There is no such link.")
        revoke_invitation(row, by=request.user)
        return Reply(status=204)


class ByVersion(Pages):
    ordering = "-version"


class ConsentTextViewSet(ApiViewSet):
    pagination_class = ByVersion

    @extend_schema(responses=ConsentTextSerializer(many=True))
    def list(self, request: Request, campaign: str) -> Reply:
        """What annotators agree to, by version, the newest first."""
        row = campaign_for(request.user, campaign, Right.INVITE)
        return self.page(row.consent_texts.annotate(agreed=Count("consents")), ConsentTextSerializer)

    @extend_schema(request=NewConsentTextSerializer, responses={201: ConsentTextSerializer})
    def create(self, request: Request, campaign: str) -> Reply:
        """Ask for consent to this text from all annotators from now on."""
        row = campaign_for(request.user, campaign, Right.INVITE)
        data = cleaned(ConsentForm(self.checked(NewConsentTextSerializer)))
        try:
            made = new_version(row, text=data["text"], user=request.user)
        except ValueError as refusal:
            raise Unprocessable(refusal, [("text", refusal)]) from refusal
        made = row.consent_texts.annotate(agreed=Count("consents")).get(pk=made.pk)
        return Reply(ConsentTextSerializer(made).data, status=201)
