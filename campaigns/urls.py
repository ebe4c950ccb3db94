from django.urls import path

from campaigns.control_units import views as checks
from campaigns.control_units.attention_checks import views as traps
from campaigns.entry_gates import views as gates
from campaigns.launch.views import answers, campaigns, later_units, opening, protocol, systems, units
from campaigns.people import joining_views
from campaigns.people import views as people
from campaigns.protocol_composer import protocol_views
from campaigns.protocol_composer import views as builder
from campaigns.rubrics import views as rubric
from campaigns.webhooks import views as webhooks

urlpatterns = [
    path("protocols/", protocol_views.protocols, name="protocols"),
    path("protocols/new/", builder.protocol_new, name="protocol-new"),
    path("protocols/preview/", builder.protocol_preview, name="protocol-preview"),
    path("protocols/upload/", builder.protocol_upload, name="protocol-upload"),
    path("protocols/schema.json", protocol_views.protocol_schema, name="protocol-schema"),
    path("protocols/<slug:name>/<str:version>/answers.csv", protocol_views.protocol_answers, name="protocol-answers"),
    path("protocols/<slug:name>/<str:version>.yaml", protocol_views.protocol_yaml, name="protocol-yaml"),
    path("protocols/<slug:name>/<str:version>/", protocol_views.protocol, name="protocol"),
    path("accounts/rights/", people.rights, name="rights"),
    path("campaigns/new/", systems.campaign_new, name="campaign-new"),
    path("campaigns/<slug:slug>/launch/systems/", systems.systems, name="launch-systems"),
    path("campaigns/<slug:slug>/launch/protocol/", protocol.protocol, name="launch-protocol"),
    path("campaigns/<slug:slug>/launch/units/", units.units, name="launch-units"),
    path("campaigns/<slug:slug>/launch/answers/", answers.answers, name="launch-answers"),
    path("campaigns/<slug:slug>/launch/open/", opening.opening, name="launch-open"),
    path("campaigns/<slug:slug>/new-units/", later_units.later_units, name="campaign-later-units"),
    path("campaigns/<slug:slug>/clone/", campaigns.campaign_clone, name="campaign-clone"),
    path("campaigns/<slug:slug>/", campaigns.campaign, name="campaign"),
    path("campaigns/<slug:slug>/turn/<str:turn>/", campaigns.campaign_turn, name="campaign-turn"),
    path("campaigns/<slug:slug>/audio/", campaigns.campaign_audio, name="campaign-audio"),
    path("campaigns/<slug:slug>/checks/", checks.checks, name="checks"),
    path("campaigns/<slug:slug>/getting-ready/", gates.gates, name="gates"),
    path("campaigns/<slug:slug>/guidelines-text/", gates.guidelines_text, name="guidelines-text"),
    path("campaigns/<slug:slug>/checks/gold.csv", checks.gold_template_csv, name="gold-template"),
    path("campaigns/<slug:slug>/checks/traps/", traps.traps, name="traps"),
    path("campaigns/<slug:slug>/checks/traps/recordings/", traps.trap_recordings, name="trap-recordings"),
    path("campaigns/<slug:slug>/checks/traps/<int:pk>/clip", traps.trap_clip, name="trap-clip"),
    path("campaigns/<slug:slug>/rubric/", rubric.rubric, name="rubric"),
    path("campaigns/<slug:slug>/rubric/items/<int:pk>/", rubric.rubric_item, name="rubric-item"),
    path("campaigns/<slug:slug>/rubric/criteria.csv", rubric.rubric_table, name="rubric-table"),
    path("campaigns/<slug:slug>/rubric/upload/", rubric.rubric_upload, name="rubric-upload"),
    path("campaigns/<slug:slug>/members/", people.members, name="members"),
    path("campaigns/<slug:slug>/members/<int:pk>/end/", people.member_end, name="member-end"),
    path("campaigns/<slug:slug>/members/<int:pk>/password/", people.member_password, name="member-password"),
    path(
        "campaigns/<slug:slug>/members/<int:pk>/second-factor/",
        people.member_second_factor,
        name="member-second-factor",
    ),
    path("campaigns/<slug:slug>/invitations/", people.invitation_new, name="invitation-new"),
    path("campaigns/<slug:slug>/invitations/<int:pk>/revoke/", people.invitation_revoke, name="invitation-revoke"),
    path("campaigns/<slug:slug>/consent-text/", people.consent_text, name="consent-text"),
    path("campaigns/<slug:slug>/webhooks/", webhooks.webhooks, name="webhooks"),
    path("campaigns/<slug:slug>/webhooks/<int:pk>/", webhooks.webhook, name="webhook"),
    path("campaigns/<slug:slug>/webhooks/<int:pk>/test/", webhooks.webhook_test, name="webhook-test"),
    path("campaigns/<slug:slug>/webhooks/<int:pk>/disable/", webhooks.webhook_disable, name="webhook-disable"),
    path(
        "campaigns/<slug:slug>/webhooks/<int:pk>/again/<uuid:delivery>/",
        webhooks.delivery_again,
        name="delivery-again",
    ),
    path("join/<str:token>/", joining_views.join, name="join"),
    path("label/<slug:slug>/consent/", joining_views.consent, name="consent"),
]
