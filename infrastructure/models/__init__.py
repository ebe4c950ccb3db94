from infrastructure.models.archivable import Archivable, Present
from infrastructure.models.claims import Claimable
from infrastructure.models.deletions import Deletion
from infrastructure.models.figures import KeptFigures
from infrastructure.models.jobs import Job
from infrastructure.models.webhooks import Delivery, Endpoint
from infrastructure.models.workers import WorkerBeat

__all__ = [
    "Archivable",
    "Claimable",
    "Deletion",
    "Delivery",
    "Endpoint",
    "Job",
    "KeptFigures",
    "Present",
    "WorkerBeat",
]
