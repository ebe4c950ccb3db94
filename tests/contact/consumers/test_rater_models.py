"""Dawid–Skene and GLAD beside crowd-kit, and intraclass correlations beside pingouin, on published data."""

import json

import numpy as np
import pytest

from stats.rater_models.dawid_skene import Said, dawid_skene
from stats.rater_models.glad import glad
from stats.rater_models.intraclass import intraclass
from tests.contact.consumers.consumed import consumed
from tests.stats.rater_models.anaesthetists import said as anaesthetists

#: Its own rule stops after a few steps; a limit below every change makes it go on.
CROWD_KIT = """
import json, sys, pandas as pd
from crowdkit.aggregation import GLAD, DawidSkene
labels = pd.DataFrame(json.loads(sys.argv[1]), columns=["task", "worker", "label"])
known = sorted(labels.label.unique())
them = DawidSkene(n_iter=60, tol=-1e9).fit(labels)
other = GLAD(n_iter=25, tol=-1e9, m_step_max_iter=25, m_step_tol=1e-8).fit(labels[labels.task < 8])
some = sorted(labels[labels.task < 8].label.unique())
print(json.dumps({
    "posterior": them.probas_.sort_index()[known].values.tolist(),
    "errors": them.errors_.unstack("label").fillna(0).sort_index().values.tolist(),
    "glad": other.probas_.sort_index()[some].values.tolist(),
    "ability": other.alphas_.sort_index().tolist(),
}))
"""
PINGOUIN = """
import json, pingouin
wine = pingouin.read_dataset("icc")
found = pingouin.intraclass_corr(wine, "Wine", "Judge", "Scores").set_index("Type")
interval = next(it for it in found if it.startswith("CI95"))
print(json.dumps({"rows": wine[["Wine", "Judge", "Scores"]].values.tolist(),
                  "icc": {name: [row["ICC"], *row[interval]] for name, row in found.iterrows()}}))
"""


def test_dawid_skene_and_glad_are_crowd_kits() -> None:
    said = anaesthetists()
    rows = np.column_stack([said.units, said.raters, said.labels])
    of_eight = rows[rows[:, 0] < 8]

    theirs = consumed(CROWD_KIT, json.dumps(rows.tolist()))

    ours, other = dawid_skene(said), glad(Said(*of_eight.T, n_units=8, n_raters=5, n_categories=4))
    assert ours.posterior == pytest.approx(np.array(theirs["posterior"]), abs=1e-5)
    assert other.posterior == pytest.approx(np.array(theirs["glad"]), abs=1e-5)
    assert other.ability == pytest.approx(np.array(theirs["ability"]), abs=1e-5)


def test_intraclass_correlations_are_pingouins() -> None:
    theirs = consumed(PINGOUIN)
    wine, judge, score = (list(it) for it in zip(*theirs["rows"], strict=True))
    places = [np.unique(it, return_inverse=True)[1] for it in (wine, judge)]

    found = intraclass(np.array(score, dtype=np.float64), *places)

    names = {"ICC(1,1)": found.one_way, "ICC(1,k)": found.one_way_mean}
    for name, ours in (names | {"ICC(A,1)": found.two_way, "ICC(A,k)": found.two_way_mean}).items():
        estimate, low, high = theirs["icc"][name]
        assert ours.estimate == pytest.approx(estimate, abs=1e-6)
        assert (round(ours.interval.low, 2), round(ours.interval.high, 2)) == (low, high)
