"""Labelling for programs: an outside interface takes units, plays clips and answers, by the actions of the pages.

Nothing here reveals which system speaks: a clip is known by its place, and its address is signed for one person.
"""

import json
from typing import Any
from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.crypto import get_random_string
from django.utils.translation import get_language
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response as Reply
from rest_framework.reverse import reverse

from accounts.api.problems import Conflict, Unprocessable
from accounts.api.repetition import HEADER
from accounts.api.views import ApiViewSet
from accounts.tokens.tokens import ANNOTATE
from annotation.answers.revise import NothingToTakeBack, said_before, take_back
from annotation.answers.submit import AnswerRefused, NotHeard, record_answers
from annotation.assignment.next_unit import (
    MAX_COMMENT,
    RETURN_REASONS,
    AnnotatorPaused,
    CampaignNotOpen,
    TooMuchAtOnce,
    give_back,
    next_assignment,
)
from annotation.assignment.progress import own_progress
from annotation.entry_gates.gate_progress import GateNeeded
from annotation.label_page.unit_view import Screen, ShownClip, screen_of
from annotation.listening.clips import NoSuchClip, clip_behind, clip_token
from annotation.listening.reports import (
    LARGEST_COUNT,
    LARGEST_NUMBER,
    MAX_REPORTS,
    ListeningRefused,
    MalformedReport,
    Report,
    read_reports,
    record_listening,
)
from annotation.models import Assignment
from annotation.withdrawal.withdraw import NothingToWithdraw, own_membership, withdraw
from campaigns.access import Right, campaign_for, campaigns_with
from campaigns.audio.unit_clips import PROMPT
from campaigns.models import LABEL, Campaign
from campaigns.people.consent import ConsentNeeded, give_consent, newest_text
from infrastructure.files.byte_ranges import private_file
from infrastructure.templatetags.wording import worded
from protocols import InvalidAnswers
from protocols.questions import Question

LARGEST = 2**31 - 1


class ToLabelSerializer(serializers.ModelSerializer):
    campaign = serializers.SlugField(source="slug")

    class Meta:
        model = Campaign
        fields = ["campaign", "title", "status", "closes_at"]


class OptionSerializer(serializers.Serializer):
    value = serializers.CharField()
    label = serializers.CharField()


class QuestionSerializer(serializers.Serializer):
    name = serializers.CharField(help_text="under which it is answered")
    title = serializers.CharField(help_text="of the aspect that it is about")
    text = serializers.CharField()
    options = OptionSerializer(many=True, help_text="none: it is answered in words")
    required = serializers.BooleanField()
    only_if = serializers.DictField(child=serializers.CharField(), help_text="put only after these answers")


class ShownClipSerializer(serializers.Serializer):
    place = serializers.IntegerField(help_text="0 is the prompt; responses are 1, 2, …")
    turn = serializers.IntegerField()
    text = serializers.CharField(help_text="of the prompt")
    url = serializers.CharField(help_text="WAV. Good for a while, for you alone")


class ShownPromptSerializer(serializers.Serializer):
    turn = serializers.IntegerField()
    text = serializers.CharField()


class UnitToAnswerSerializer(serializers.Serializer):
    assignment = serializers.UUIDField()
    expires_at = serializers.DateTimeField()
    title = serializers.CharField(help_text="of the protocol")
    instructions = serializers.CharField()
    facts = serializers.DictField(child=serializers.CharField(), help_text="facts about the item that raters may see")
    prompts = ShownPromptSerializer(
        many=True, help_text="what was asked in words, whether or not a clip says it, too"
    )
    clips = ShownClipSerializer(many=True, help_text="all that is heard, in this order")
    listening = serializers.ChoiceField(["full", "seconds", "none"], help_text="what must be heard of every clip")
    questions = QuestionSerializer(many=True)
    answers = serializers.DictField(child=serializers.CharField(), help_text="of an answer that was taken back")


class NextSerializer(serializers.Serializer):
    answered = serializers.IntegerField(help_text="by you, in this campaign")
    total = serializers.IntegerField(help_text="that and what is still to be had")
    unit = UnitToAnswerSerializer(allow_null=True, help_text="null: nothing is left for you at the moment")


class ReportSerializer(serializers.Serializer):
    """What was played since the last report. A clip is named `place-turn`."""

    number = serializers.IntegerField(
        min_value=1,
        max_value=LARGEST_NUMBER,
        help_text="rising, such as milliseconds since 1970; one that came before is ignored",
    )
    ranges = serializers.DictField(
        child=serializers.ListField(
            child=serializers.ListField(child=serializers.FloatField(), min_length=2, max_length=2)
        ),
        help_text="by clip: pairs of seconds, from and to",
    )
    plays = serializers.DictField(
        child=serializers.IntegerField(min_value=0, max_value=LARGEST_COUNT),
        help_text="by clip, since the unit was opened",
    )
    switches = serializers.IntegerField(min_value=0, max_value=LARGEST_COUNT, default=0)
    hidden_s = serializers.FloatField(min_value=0, max_value=LARGEST_COUNT, default=0.0)


class HeardSerializer(serializers.Serializer):
    reports = ReportSerializer(many=True, max_length=MAX_REPORTS)


class AnswersSerializer(HeardSerializer):
    reports = ReportSerializer(many=True, max_length=MAX_REPORTS, required=False)
    answers = serializers.DictField(
        child=serializers.CharField(allow_blank=True, trim_whitespace=False),
        help_text="by the names of the questions; `note.flag` and `note.confidence` are notes",
    )


class RecordedSerializer(serializers.Serializer):
    """No primary key: it would reveal the number of all answers."""

    assignment = serializers.UUIDField(source="assignment_id")
    recorded_at = serializers.DateTimeField()


class GiveBackSerializer(serializers.Serializer):
    reason = serializers.ChoiceField(list(RETURN_REASONS))
    comment = serializers.CharField(max_length=MAX_COMMENT, allow_blank=True, default="")


class ConsentSerializer(serializers.Serializer):
    version = serializers.IntegerField(allow_null=True, help_text="null: nothing is to be agreed to")
    text = serializers.CharField()
    agreed = serializers.BooleanField()


class AgreeSerializer(serializers.Serializer):
    version = serializers.IntegerField(min_value=1, max_value=LARGEST, help_text="of the text that was read")


class WithdrawalSerializer(serializers.Serializer):
    identity = serializers.BooleanField(default=False, help_text="delete your identity; this cannot be undone")
    answers = serializers.BooleanField(default=False, help_text="do not use your answers from now on")


class WithdrawnSerializer(serializers.Serializer):
    account_deleted = serializers.BooleanField(help_text="your account was for this study alone, and is gone")


class LabelViewSet(ApiViewSet):
    lookup_url_kwarg = "campaign"
    lookup_value_converter = "slug"
    pagination_class = None

    def needed_scope(self) -> str:
        return ANNOTATE

    @extend_schema(responses=ToLabelSerializer(many=True))
    def list(self, request: Request) -> Reply:
        """The campaigns that you label in."""
        rows = campaigns_with(request.user, Right.LABEL).exclude(status=Campaign.Status.DRAFT)
        return Reply(ToLabelSerializer(rows, many=True).data)

    @extend_schema(request=None, responses=NextSerializer)
    @action(detail=True, methods=["post"])
    def next(self, request: Request, campaign: str) -> Reply:
        """The unit that you are at, or the next one. It is reserved for you until `expires_at`."""
        row = self._campaign(campaign)
        try:
            assignment = next_assignment(row, request.user)
        except (CampaignNotOpen, AnnotatorPaused, TooMuchAtOnce) as refusal:
            raise Conflict(refusal) from refusal
        except ConsentNeeded as needed:
            raise Conflict(needed, [("consent", needed)]) from needed
        except GateNeeded as needed:
            raise Conflict(needed, [("gate", needed.progress.gate.kind)]) from needed
        return self._shown(row, assignment)

    @extend_schema(request=None, responses=NextSerializer)
    @action(detail=True, methods=["post"], url_path="take-back")
    def take_back(self, request: Request, campaign: str) -> Reply:
        """Open your last answer again. Until a new one is submitted, the earlier answer is valid."""
        row = self._campaign(campaign)
        try:
            assignment = take_back(row, request.user)
        except (CampaignNotOpen, NothingToTakeBack) as refusal:
            raise Conflict(refusal) from refusal
        return self._shown(row, assignment)

    @extend_schema(request=AgreeSerializer, responses=ConsentSerializer)
    @action(detail=True, methods=["get", "post"])
    def consent(self, request: Request, campaign: str) -> Reply:
        """What you have to agree to before the first unit; a POST agrees."""
        row = campaign_for(request.user, campaign, Right.LABEL)
        if request.method == "POST":
            try:
                give_consent(row, user=request.user, version=self.checked(AgreeSerializer)["version"])
            except ConsentNeeded as needed:
                raise Conflict("This is not the newest text.", [("version", needed.text.version)]) from needed
        text = newest_text(row)
        data = {
            "version": text and text.version,
            "text": text.text if text else "",
            "agreed": text is None or text.consents.filter(user=request.user).exists(),
        }
        return Reply(ConsentSerializer(data).data)

    @extend_schema(request=WithdrawalSerializer, responses=WithdrawnSerializer)
    @action(detail=True, methods=["post"])
    def withdraw(self, request: Request, campaign: str) -> Reply:
        """Leave the study. If you have left already, ask for more."""
        row = get_object_or_404(Campaign, slug=campaign)
        try:
            own_membership(row, request.user)  # others learn nothing of the body
            left = withdraw(row, request.user, **self.checked(WithdrawalSerializer))
        except NothingToWithdraw as refusal:
            raise Http404("There is no such campaign among yours.") from refusal
        return Reply(WithdrawnSerializer(left).data)

    def _campaign(self, slug: str) -> Campaign:
        row = campaign_for(self.request.user, slug, Right.LABEL)
        if row.label_page != LABEL:
            raise Conflict("This campaign is labelled on a page of its own.")
        return row

    def _shown(self, row: Campaign, assignment: Assignment | None) -> Reply:
        progress = own_progress(row, self.request.user)
        data = {
            "answered": progress.answered,
            "total": progress.total,
            "unit": _unit(screen_of(assignment, row), self.request) if assignment else None,
        }
        return Reply(NextSerializer(data).data)


class AssignmentViewSet(ApiViewSet):
    lookup_value_converter = "uuid"

    def needed_scope(self) -> str:
        return ANNOTATE

    @extend_schema(request=HeardSerializer, responses={204: None})
    @action(detail=True, methods=["post"])
    def heard(self, request: Request, campaign: str, pk: UUID) -> Reply:
        """What was played. Send it every few seconds: it is checked against the clock."""
        row, reports = self._assigned(campaign, pk), _reports(self.checked(HeardSerializer))
        try:
            record_listening(pk, annotator=request.user, reports=reports, campaign=row)
        except Assignment.DoesNotExist as error:
            raise Http404("This is not yours to hear.") from error
        except ListeningRefused as refusal:
            raise Unprocessable(refusal, [("reports", refusal)]) from refusal
        return Reply(status=204)

    @extend_schema(request=AnswersSerializer, responses={201: RecordedSerializer})
    @action(detail=True, methods=["post"])
    def answers(self, request: Request, campaign: str, pk: UUID) -> Reply:
        """Answer the unit. What is wrong with which question is in `errors`."""
        row, said = self._assigned(campaign, pk), self.checked(AnswersSerializer)
        if row.label_page != LABEL:
            raise Conflict("This campaign is labelled on a page of its own.")
        try:
            annotation = record_answers(
                pk,
                annotator=request.user,
                clicked=said["answers"],
                idempotency_key=request.headers.get(HEADER, "")[:64] or get_random_string(32),
                language=get_language() or "",
                reports=_reports(said),
                campaign=row,
            )
        except Assignment.DoesNotExist as error:
            raise Http404("This is not yours to answer.") from error
        except InvalidAnswers as invalid:
            raise Unprocessable("These answers cannot be taken.", _by_question(invalid)) from invalid
        except NotHeard as refusal:
            unheard = [(f"clips.{clip}", "It was not heard as asked.") for clip in refusal.clips]
            raise Unprocessable(refusal, unheard) from refusal
        except ListeningRefused as refusal:
            raise Unprocessable(refusal, [("reports", refusal)]) from refusal
        except AnswerRefused as refusal:
            raise Conflict(refusal) from refusal
        return Reply(RecordedSerializer(annotation).data, status=201)

    @extend_schema(request=GiveBackSerializer, responses={204: None})
    @action(detail=True, methods=["post"], url_path="give-back")
    def give_back(self, request: Request, campaign: str, pk: UUID) -> Reply:
        """Return the unit for another annotator. You are not given it again."""
        row, said = self._assigned(campaign, pk), self.checked(GiveBackSerializer)
        try:
            give_back(pk, annotator=request.user, campaign=row, **said)
        except Assignment.DoesNotExist as error:
            raise Http404("This is not yours to give back.") from error
        return Reply(status=204)

    def _assigned(self, slug: str, pk: UUID) -> Campaign:
        """The campaign of one's own assignment. Raises Http404 for one of another campaign."""
        row = campaign_for(self.request.user, slug, Right.LABEL)
        if not Assignment.objects.filter(pk=pk, campaign=row, annotator=self.request.user).exists():
            raise Http404("There is no such assignment among yours.")
        return row


class ClipViewSet(ApiViewSet):
    lookup_url_kwarg = "token"
    lookup_value_converter = "str"

    def needed_scope(self) -> str:
        return ANNOTATE

    @extend_schema(responses={(200, "audio/wav"): OpenApiTypes.BINARY})
    def retrieve(self, request: Request, token: str) -> HttpResponse:
        """A clip of a unit in your hands, at the campaign's rate and loudness. Ranges are served."""
        try:
            delivered = clip_behind(token, request.user)
        except NoSuchClip as error:
            raise Http404(str(error)) from error
        return private_file(request, delivered.path, size=delivered.bytes, content_type="audio/wav")


def _reports(said: dict[str, Any]) -> list[Report]:
    """Raises ValidationError for what no report may have."""
    try:
        return read_reports(json.dumps(said.get("reports", [])))
    except MalformedReport as error:
        raise ValidationError({"reports": str(error)}) from error


def _by_question(invalid: InvalidAnswers) -> list[tuple[str, object]]:
    return [(f"answers.{name}", message) for name, message in invalid.errors.items()]


def _unit(screen: Screen, request: Request) -> dict[str, Any]:
    assignment, protocol = screen.assignment, screen.protocol
    clips = [clip for turn in screen.turns for clip in (turn.prompt, *turn.responses) if clip]
    return {
        "assignment": assignment.pk,
        "expires_at": assignment.expires_at,
        "title": worded(protocol.title),
        "instructions": worded(protocol.instructions),
        "facts": dict(screen.facts),
        "prompts": [{"turn": clip.turn, "text": clip.text} for clip in clips if clip.place == PROMPT and clip.text],
        "clips": [_clip(assignment, clip, request) for clip in clips if clip.url],
        "listening": protocol.listening.rule,
        "questions": [
            _question(question, shown.aspect.title) for shown in screen.aspects for question in shown.questions
        ],
        "answers": said_before(assignment, protocol) if assignment.reopened_at else {},
    }


def _clip(assignment: Assignment, clip: ShownClip, request: Request) -> dict[str, Any]:
    url = reverse("api:clip-detail", args=[clip_token(assignment, clip.place, clip.turn)], request=request)
    return {"place": clip.place, "turn": clip.turn, "text": clip.text, "url": url}


def _question(question: Question, title: str) -> dict[str, Any]:
    return {
        "name": question.name,
        "title": worded(title),
        "text": worded(question.text),
        "options": [{"value": one.value, "label": worded(one.label)} for one in question.options],
        "required": question.required,
        "only_if": dict(question.only_if),
        **question.kind.limits,
    }
