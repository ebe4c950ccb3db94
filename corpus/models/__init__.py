from corpus.models.clips import Clip, DeliveredClip
from corpus.models.datasets import Dataset, Item, Response, ResponseTurn, System, Turn, Unit, UnitMember
from corpus.models.figures import DatasetFigures, ItemFigures, ItemWarning
from corpus.models.imports import Import, ImportRecipe
from corpus.models.labels import ImportedAnnotation, Label, LabelSet
from corpus.models.versions import Version

__all__ = [
    "Clip",
    "Dataset",
    "DatasetFigures",
    "DeliveredClip",
    "Import",
    "ImportRecipe",
    "ImportedAnnotation",
    "Item",
    "ItemFigures",
    "ItemWarning",
    "Label",
    "LabelSet",
    "Response",
    "ResponseTurn",
    "System",
    "Turn",
    "Unit",
    "UnitMember",
    "Version",
]
