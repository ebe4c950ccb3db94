from django.apps import AppConfig


class CampaignsConfig(AppConfig):
    name = "campaigns"

    def ready(self) -> None:
        """Register what campaigns know of datasets, accounts and webhooks, who may watch or upload, and figures."""
        from accounts.audit_log import subjects  # noqa: PLC0415 - models are there only now
        from accounts.people import dependents as people  # noqa: PLC0415
        from campaigns import navigation  # noqa: PLC0415
        from campaigns.access import manages_any, watched_campaign  # noqa: PLC0415
        from campaigns.datasets.dependent import Campaigns  # noqa: PLC0415
        from campaigns.datasets.imported_answers import check_by_known_protocol  # noqa: PLC0415
        from campaigns.deletion import register_deletion  # noqa: PLC0415
        from campaigns.gauges import campaigns  # noqa: PLC0415
        from campaigns.models import Campaign, ProtocolVersion  # noqa: PLC0415
        from campaigns.people.roles import Roles  # noqa: PLC0415
        from campaigns.rubrics.progress import drafts_to_review  # noqa: PLC0415
        from campaigns.webhooks.failing import failing_webhooks  # noqa: PLC0415
        from campaigns.webhooks.hooks import forget_awaited  # noqa: PLC0415
        from corpus import dependents  # noqa: PLC0415
        from corpus.imports.answers import protocol_check  # noqa: PLC0415
        from infrastructure import gauges  # noqa: PLC0415
        from infrastructure.administration import failing_work  # noqa: PLC0415
        from infrastructure.files import upload_limits  # noqa: PLC0415
        from infrastructure.live import topics  # noqa: PLC0415
        from infrastructure.webhooks.endpoints import call_when_disabled  # noqa: PLC0415

        dependents.register(Campaigns())
        people.register(Roles())
        subjects.register(subjects.Subject.CAMPAIGN, Campaign)
        subjects.register(subjects.Subject.PROTOCOL, ProtocolVersion)
        protocol_check.register(check_by_known_protocol)
        navigation.count_to_do("rubric", drafts_to_review)
        topics.register("campaign", watched_campaign)
        gauges.register(campaigns)
        upload_limits.register(manages_any)
        call_when_disabled(forget_awaited)
        failing_work.register(failing_webhooks)
        register_deletion()
