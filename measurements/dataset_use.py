"""What measurements do when a dataset has new texts: they are searched for identity leaks."""

from accounts.models import User
from corpus.dependents import Dependent
from corpus.models import Dataset
from measurements.identity_leaks.scans import proposed_names, start_scan


class Measurements(Dependent):
    def words_imported(self, dataset: Dataset, *, user: User) -> None:
        start_scan(dataset, names=proposed_names(dataset), user=user)
