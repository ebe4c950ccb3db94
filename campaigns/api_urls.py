"""The API of campaigns, protocols and webhooks."""

from django.urls import path
from rest_framework.routers import SimpleRouter

from campaigns.control_units.api import ChecksViewSet
from campaigns.entry_gates.api import EntryGatesViewSet
from campaigns.launch.api import CampaignViewSet, MemberViewSet, UnitViewSet
from campaigns.people.api import ConsentTextViewSet, InvitationViewSet
from campaigns.protocol_composer.api import ProtocolViewSet
from campaigns.protocol_composer.preview_api import ProtocolPreviewViewSet
from campaigns.rubrics.api import RubricItemViewSet, RubricViewSet
from campaigns.webhooks.api import DeliveryViewSet, WebhookViewSet

router = SimpleRouter(use_regex_path=False)
router.register("protocols", ProtocolViewSet, "protocol")
router.register("protocol-previews", ProtocolPreviewViewSet, "protocol-preview")
router.register("campaigns", CampaignViewSet, "campaign")
router.register("campaigns/<slug:campaign>/units", UnitViewSet, "unit")
router.register("campaigns/<slug:campaign>/members", MemberViewSet, "member")
router.register("campaigns/<slug:campaign>/checks", ChecksViewSet, "checks")
router.register("campaigns/<slug:campaign>/entry-gates", EntryGatesViewSet, "entry-gates")
router.register("campaigns/<slug:campaign>/rubric", RubricViewSet, "rubric")
router.register("campaigns/<slug:campaign>/rubric-items", RubricItemViewSet, "rubric-item")
router.register("campaigns/<slug:campaign>/invitations", InvitationViewSet, "invitation")
router.register("campaigns/<slug:campaign>/consent-texts", ConsentTextViewSet, "consent-text")
router.register("campaigns/<slug:campaign>/webhooks", WebhookViewSet, "webhook")
router.register("campaigns/<slug:campaign>/webhooks/<int:webhook>/deliveries", DeliveryViewSet, "delivery")

urlpatterns = [
    *router.urls,
    path(
        "protocols/<slug:name>/<str:version>/",
        ProtocolViewSet.as_view({"get": "document"}),
        name="protocol-version",
    ),
]
