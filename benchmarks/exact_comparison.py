"""`python -m benchmarks.exact_comparison`: every model beside exact arithmetic, on hard tables.

Tables of every kind in `KINDS`, a model and its options drawn for each; every score, every
`efficient` and every reason for no score is compared, every result has to pass its own certificate,
and no order of rows or columns and no unit may change ranks or flags.
"""

from __future__ import annotations

import argparse
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

import deabench as db
from benchmarks.exact import EXACT, Exact, goal_reached
from benchmarks.exact.kinds import ALL_KINDS, ONE_REFERENCE
from deabench.cli._io import print_message
from deabench.errors import CertificateError, DataError
from deabench.models import MODELS
from deabench.models.options import build_options
from deabench.proofs.reasons import NO_OUTPUT

TOLERANCE = 1e-9
"""What a score may be off by, in its unit."""
NEAR = Fraction(1, 10**8)
"""A slack, or a distance from the best score, between 0 and this decides no flag."""
LAST_DIGITS = 2.0**-50
"""What the rounding of λ, and of metrics that stand for decimals, may be, as a share of them."""
INVARIANT = 2e-9
"""What a score may change by, in its unit, where rows, columns and units change."""

Generator = np.random.Generator


OWN_UNITS = ("ones",)
"""Words of options under which a score counts in the metrics' own units."""


@dataclass(frozen=True)
class Case:
    """One table with its model.

    Attributes
    ----------
    seed : int
        With which the case can be drawn again.
    """

    seed: int
    kind: str
    table: pd.DataFrame
    inputs: tuple[str, ...]
    reference: pd.DataFrame | None
    model: Any

    @property
    def outputs(self) -> list[str]:
        """The columns that are no inputs."""
        return [name for name in self.table if name not in self.inputs]

    def rank(self) -> db.Ranking:
        """Rank the table."""
        return rank_table(self.table, self.reference, self.outputs, self.inputs, self.model)


def rank_table(
    table: pd.DataFrame,
    reference: pd.DataFrame | None,
    outputs: list[str],
    inputs: tuple[str, ...] | list[str],
    model: Any,
) -> db.Ranking:
    """Rank a table without warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return db.rank(
            table, outputs=outputs, inputs=list(inputs) or None, model=model, reference=reference
        )


def draw_case(seed: int, names: list[str], kinds: list[str]) -> Case:
    """Draw a table, its kind, its inputs, its reference and its model, all from the seed."""
    rng = np.random.default_rng(seed)
    name = names[seed % len(names)]
    kind = kinds[int(rng.integers(len(kinds)))]
    norm_two = name == "holder" and rng.random() < 0.3
    count = int(rng.integers(1, 4 if norm_two else 6))
    n = int(rng.integers(1, 7 if norm_two else 13))
    values = ALL_KINDS[kind](rng, n, count)
    columns = [f"m{c}" for c in range(values.shape[1])]
    labels = [f"r{k}" for k in range(len(values))]
    table = pd.DataFrame(values, labels, columns)
    most_inputs = 0 if MODELS[name].inputs == "none" else len(columns) - 1
    least_inputs = min(int(MODELS[name].inputs == "needed"), most_inputs)
    input_count = int(rng.integers(least_inputs, most_inputs + 1))
    inputs = tuple(columns[len(columns) - input_count :])
    reference = None
    if rng.random() < 0.25 and name != "cross":
        split = int(rng.integers(1, len(table) + 1))
        reference = table.iloc[:split]
        table = table.iloc[min(split // 2, len(table) - 1) :]
    if kind == ONE_REFERENCE and name != "cross":
        reference = pd.DataFrame(values[:1], labels[:1], columns)
    options = draw_options(rng, name, columns, inputs)
    if norm_two:
        options["norm"] = "l2"
    try:
        model = build_options(name, options)
    except DataError:
        model = build_options(name, {})
    return Case(seed, kind, table, inputs, reference, model)


def draw_options(
    rng: Generator, name: str, columns: list[str], inputs: tuple[str, ...]
) -> dict[str, Any]:
    """Draw a value of each option of a model."""
    options: dict[str, Any] = {}
    for option in db.models.options.option_fields(name):
        if option.choices:
            options[option.name] = str(rng.choice(option.choices))
    outputs = [metric for metric in columns if metric not in inputs]
    if not inputs and options.get("orientation") == "input":
        options["orientation"] = "output"
    draw = rng.random()
    numbers = {metric: float(rng.integers(0, 4)) for metric in columns}
    if name in ("additive", "holder") and draw < 0.15:
        options["weights"] = numbers
    if name == "holder":
        options["norm"] = str(rng.choice(["l1", "linf"]))
    if name == "ddf" and draw < 0.2:
        options["direction"] = numbers
    if name in ("wei", "score", "ccr") and len(outputs) > 1 and draw < 0.3:
        if draw < 0.15:
            options["ratios"] = {(outputs[0], outputs[1]): (0.5, float(rng.integers(1, 4)))}
        else:
            options["shares"] = {outputs[0]: (0.1, 0.5)}
    if name == "ccr" and 0.25 < draw < 0.4:
        options["sums"] = (0.5, 2.0)
        options["returns"] = "crs"
    return options


@dataclass
class Findings:
    """Counts, and the lines of what is wrong."""

    counts: Counter[str] = field(default_factory=Counter)
    by_model: dict[str, Counter[str]] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)

    def add(self, what: str, case: Case, label: object, text: str) -> None:
        """Count one and describe it."""
        self.count(what, case)
        options = ", ".join(
            f"{key} {value}" for key, value in vars(case.model).items() if value is not None
        )
        self.lines.append(
            f"{what}: seed {case.seed}, {case.model.name} ({options}), {case.kind}, {label}: {text}"
        )

    def count(self, what: str, case: Case, number: int = 1) -> None:
        """Count some."""
        self.counts[what] += number
        self.by_model.setdefault(case.model.name, Counter())[what] += number

    def frame(self) -> pd.DataFrame:
        """Return the counts, models in rows."""
        return pd.DataFrame(self.by_model).T.fillna(0).astype(int).sort_index()


def compare_case(case: Case, findings: Findings, *, invariance: bool = True) -> None:
    """Compare one case with exact arithmetic, and with itself under other orders and units."""
    try:
        ranking = case.rank()
    except DataError:
        findings.count("no data for it", case)
        return
    except Exception:
        findings.add("raised", case, "rank", traceback.format_exc(limit=-2))
        return
    findings.count("tables", case)
    findings.count("DMUs", case, len(ranking.scores))
    try:
        db.certify(ranking)
    except CertificateError as error:
        findings.add("refused", case, "certify", str(error))
    except Exception:
        findings.add("crashed", case, "certify", traceback.format_exc(limit=-2))
    exact = EXACT[case.model.name](ranking)
    reached = goal_reached(ranking)
    moved: list[Exact] | None = None
    for k, label in enumerate(ranking.scores.index):
        wrong = list(violations(ranking, k, reached[k], exact[k]))
        if wrong and moved is None:
            moved = EXACT[case.model.name](without_last_digits(ranking))
        if wrong and moved and not list(violations(ranking, k, reached[k], moved[k])):
            findings.count("last digits", case)
            continue
        for what, text in wrong:
            findings.add(what, case, label, text)
    if invariance:
        for change, text in changes_of_order(case, ranking, exact):
            findings.add("not invariant", case, change, text)


def without_last_digits(ranking: db.Ranking) -> db.Ranking:
    """Return a ranking with what the rounding of λ and of metrics could be given away.

    Floats stand for decimals: what no more than that decides is right either way.
    """
    data = ranking.data
    outputs = data.outputs - data.outputs.abs() * LAST_DIGITS
    inputs = data.inputs + data.inputs.abs() * LAST_DIGITS
    return replace(ranking, data=replace(data, outputs=outputs, inputs=inputs))


def violations(
    ranking: db.Ranking, k: int, score: float, exact: Exact
) -> Iterator[tuple[str, str]]:
    """Yield what is wrong or unproved of one DMU, as kind and text."""
    label = ranking.scores.index[k]
    is_efficient = bool(ranking.efficient.iloc[k])
    is_undecided = bool(ranking.undecided.iloc[k])
    if np.isnan(score):
        if exact.score is None or (exact.may_lack and exact.score == 0):
            return
        reason = ranking.reasons.get(label, "no reason")
        if NO_OUTPUT in reason:  # such a row is left out before any model
            return
        what = "unproved" if "proved" in reason else "wrong"
        yield what, f"no score ({reason}), exactly {float(exact.score):.12g}"
        return
    if exact.score is None:
        yield "wrong", f"{score:.12g}, exactly none"
        return
    error = abs(score - float(exact.score))
    if error > TOLERANCE * max(exact.unit, 1e-300):
        yield "wrong", f"{score:.12g}, exactly {float(exact.score):.12g}"
    is_best = exact.shortfall <= 0 and exact.slack is not None and exact.slack == 0
    is_far = exact.shortfall > NEAR or exact.slack is None or exact.slack > NEAR
    if is_undecided and (is_best or is_far):
        yield "unproved", f"undecided, exactly {'efficient' if is_best else 'inefficient'}"
    elif is_best and not is_efficient:
        yield "wrong flag", "efficient is False, exactly True"
    elif is_far and is_efficient:
        yield (
            "wrong flag",
            f"efficient is True, exactly False (score {float(exact.score):.12g}, "
            f"slack {'none' if exact.slack is None else float(exact.slack)})",
        )


def changes_of_order(
    case: Case, ranking: db.Ranking, exact: list[Exact]
) -> Iterator[tuple[str, str]]:
    """Yield what a permutation of rows or columns, or another unit, changes."""
    rng = np.random.default_rng([case.seed, 1])
    table, reference = case.table, case.reference
    rows = rng.permutation(len(table))
    reference_rows = reference
    if reference is not None:
        reference_rows = reference.iloc[rng.permutation(len(reference))]
    columns = [*rng.permutation(case.outputs), *rng.permutation(list(case.inputs))]
    changed: dict[str, tuple[pd.DataFrame, pd.DataFrame | None, list[str]]] = {
        "rows": (table.iloc[rows], reference_rows, list(table)),
        "columns": (table, reference, columns),
    }
    if has_no_units(case.model):
        sizes = 2.0 ** rng.integers(-30, 31, table.shape[1])
        changed["units"] = (
            table * sizes,
            None if reference is None else reference * sizes,
            list(table),
        )
    units = np.array([max(entry.unit, 1e-300) for entry in exact])
    for change, (tested, other_reference, order) in changed.items():
        outputs = [str(name) for name in order if name not in case.inputs]
        inputs = [str(name) for name in order if name in case.inputs]
        try:
            other = rank_table(tested, other_reference, outputs, inputs, case.model)
        except Exception as error:
            yield change, f"raised {type(error).__name__}: {error}"
            continue
        labels = ranking.scores.index
        for name in ("ranks", "efficient", "undecided"):
            before, after = getattr(ranking, name), getattr(other, name).loc[labels]
            if not before.equals(after):
                k = int(np.argmax((before.astype(float) != after.astype(float)).to_numpy()))
                yield change, f"{name} of {labels[k]}: {before.iloc[k]} and {after.iloc[k]}"
        difference = np.abs(other.scores.loc[labels].to_numpy() - ranking.scores.to_numpy()) / units
        is_nan = ranking.scores.isna().to_numpy() != other.scores.loc[labels].isna().to_numpy()
        wrong = np.flatnonzero(is_nan | (difference > INVARIANT))
        if len(wrong):
            k = int(wrong[0])
            text = f"{ranking.scores.iloc[k]:.12g} and {other.scores.loc[labels[k]]:.12g}"
            yield change, f"score of {labels[k]}: {text}"


def has_no_units(model: Any) -> bool:
    """Return whether no unit of a metric changes the model's scores."""
    for name in ("weights", "direction", "ratios"):
        value = getattr(model, name, None)
        if value in OWN_UNITS or isinstance(value, dict):
            return False
    return True


def compare(
    seeds: range,
    names: list[str] | None = None,
    kinds: list[str] | None = None,
    *,
    invariance: bool = True,
) -> Findings:
    """Compare a case for each seed; models take turns.

    Returns
    -------
    Findings
    """
    findings = Findings()
    for seed in seeds:
        case = draw_case(seed, names or list(MODELS), kinds or list(ALL_KINDS))
        compare_case(case, findings, invariance=invariance)
    return findings


def main(arguments: list[str] | None = None) -> int:
    """Print what is wrong, and the counts by model."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.exact_comparison")
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--tables", type=int, default=320, help="number of seeds")
    parser.add_argument("--models", nargs="*", help="models, all by default")
    parser.add_argument("--kinds", nargs="*", help="kinds of tables, all by default")
    parser.add_argument("--no-invariance", action="store_true")
    parser.add_argument("--quiet", action="store_true", help="print counts alone")
    options = parser.parse_args(arguments)
    seeds = range(options.first, options.first + options.tables)
    findings = compare(seeds, options.models, options.kinds, invariance=not options.no_invariance)
    if not options.quiet:
        for line in findings.lines:
            print_message(line)
    print_message(findings.frame().to_string())
    print_message(str(dict(findings.counts)))
    return int(bool(findings.lines))


if __name__ == "__main__":
    sys.exit(main())
