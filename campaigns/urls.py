from django.urls import path

from campaigns.views import builder, campaigns, checks, datasets, joining, people, protocols
from campaigns.views.launching import answers, opening, protocol, systems, units

urlpatterns = [
    path("datasets/", datasets.datasets, name="datasets"),
    path("datasets/<slug:slug>/", datasets.dataset, name="dataset"),
    path("datasets/<slug:slug>/items/<int:pk>/", datasets.item, name="item"),
    path("datasets/<slug:slug>/items/<int:pk>/clips/<int:clip>", datasets.item_clip, name="item-clip"),
    path("imports/new/", datasets.import_new, name="import-new"),
    path("imports/<uuid:pk>/", datasets.import_, name="import"),
    path("imports/<uuid:pk>/confirm/", datasets.import_confirm, name="import-confirm"),
    path("protocols/", protocols.protocols, name="protocols"),
    path("protocols/new/", builder.protocol_new, name="protocol-new"),
    path("protocols/preview/", builder.protocol_preview, name="protocol-preview"),
    path("protocols/upload/", builder.protocol_upload, name="protocol-upload"),
    path("protocols/schema.json", protocols.protocol_schema, name="protocol-schema"),
    path("protocols/<slug:name>/<str:version>.yaml", protocols.protocol_yaml, name="protocol-yaml"),
    path("protocols/<slug:name>/<str:version>/", protocols.protocol, name="protocol"),
    path("campaigns/new/", systems.campaign_new, name="campaign-new"),
    path("campaigns/<slug:slug>/launch/systems/", systems.systems, name="launch-systems"),
    path("campaigns/<slug:slug>/launch/protocol/", protocol.protocol, name="launch-protocol"),
    path("campaigns/<slug:slug>/launch/units/", units.units, name="launch-units"),
    path("campaigns/<slug:slug>/launch/answers/", answers.answers, name="launch-answers"),
    path("campaigns/<slug:slug>/launch/open/", opening.opening, name="launch-open"),
    path("campaigns/<slug:slug>/clone/", campaigns.campaign_clone, name="campaign-clone"),
    path("campaigns/<slug:slug>/", campaigns.campaign, name="campaign"),
    path("campaigns/<slug:slug>/turn/<str:turn>/", campaigns.campaign_turn, name="campaign-turn"),
    path("campaigns/<slug:slug>/audio/", campaigns.campaign_audio, name="campaign-audio"),
    path("campaigns/<slug:slug>/checks/", checks.checks, name="checks"),
    path("campaigns/<slug:slug>/members/", people.members, name="members"),
    path("campaigns/<slug:slug>/members/<int:pk>/end/", people.member_end, name="member-end"),
    path("campaigns/<slug:slug>/invitations/", people.invitation_new, name="invitation-new"),
    path("campaigns/<slug:slug>/invitations/<int:pk>/revoke/", people.invitation_revoke, name="invitation-revoke"),
    path("campaigns/<slug:slug>/consent-text/", people.consent_text, name="consent-text"),
    path("join/<str:token>/", joining.join, name="join"),
    path("label/<slug:slug>/consent/", joining.consent, name="consent"),
]
