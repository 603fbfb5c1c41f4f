"""DMUs that lie beyond a separate reference by the last digits of floats."""

from __future__ import annotations

import pandas as pd

import deabench as db

# Input m2 is output m0 over 1.2016035168248, but for the last digits.
REFERENCE = {
    "r0": [0.5495660997376934, 0.805141327430263, 0.45736059527344675],
    "r1": [0.7643689393334194, 0.8594036014701174, 0.636124086381976],
    "r2": [0.6200589516161015, 0.9830278313950489, 0.5160262457075131],
    "r3": [0.34219303736266826, 0.4113424576636126, 0.2847803227697883],
    "r4": [0.41072092309514496, 0.9360190731938092, 0.3418106865902422],
    "r5": [0.9086727655217446, 0.8096971993061541, 0.7562167993006482],
}
BEYOND = [0.36712525907524607, 0.5920805573854953, 0.3055294478875277]


def test_who_is_beyond_its_reference_by_last_digits_is_efficient() -> None:
    metrics = ["m0", "m1", "m2"]
    reference = pd.DataFrame.from_dict(REFERENCE, orient="index", columns=metrics)
    tested = pd.DataFrame([BEYOND], ["r7"], metrics)
    # No reference DMU has so much of m0 for a unit of m2, and so has no mixture.
    assert (reference["m0"] / reference["m2"]).max() < BEYOND[0] / BEYOND[2]
    model = db.models.RDM(returns="vrs", orientation="output", direction="ideal")
    ranking = db.rank(tested, outputs=["m0"], inputs=["m1", "m2"], model=model, reference=reference)
    assert ranking.efficient.tolist() == [True]
    db.certify(ranking)
