from django.apps import AppConfig


class CorpusConfig(AppConfig):
    name = "corpus"

    def ready(self) -> None:
        """Entries of the audit log about datasets lead to them, and these can be deleted."""
        from accounts.audit_log import subjects  # noqa: PLC0415 - models are there only now
        from accounts.people import dependents as people  # noqa: PLC0415
        from corpus.datasets.owners import Datasets  # noqa: PLC0415
        from corpus.deletion import register_deletion  # noqa: PLC0415
        from corpus.models import Dataset  # noqa: PLC0415

        subjects.register(subjects.Subject.DATASET, Dataset)
        register_deletion()
        people.register(Datasets())
