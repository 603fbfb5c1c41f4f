"""`python -m benchmarks`: measure, and print the tables."""

from __future__ import annotations

import argparse
import json
import platform
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pandas as pd
from simulations.closest_targets import faces_and_milp, published, right, speed
from simulations.coverage_of_metrics import (
    of_counts,
    of_designs,
    of_differences,
    of_scores,
    of_two_test_sets,
    summed,
)
from simulations.coverage_of_scores import certainty, spent
from simulations.designs import GROUPS
from simulations.dominance_rivals import rivals
from simulations.hard_tables import degenerate_results, integer_tables, noisy_tables, spread_tables
from simulations.type_one_errors import exactly, type_one

from benchmarks import proof_costs
from benchmarks.build_hull import compare_designs
from benchmarks.decisions import decisions
from benchmarks.dominance_peers import peers
from benchmarks.models import models
from benchmarks.scale import scale
from benchmarks.scale_memory import in_memory
from benchmarks.scores import beside, growth, memory, wide
from benchmarks.startup import start_up
from benchmarks.studies import overhead, shared_rows, trivial_tasks
from benchmarks.weightings import weightings
from deabench.cli._io import print_message

SECTIONS = (
    "scores",
    "growth",
    "metrics",
    "build_hull",
    "memory",
    "targets",
    "models",
    "right",
    "proofs",
    "proofs-all",
    "type-one",
    "start",
    "coverage",
    "certainty",
    "decisions",
    "peers",
    "scale",
    "study",
    "weightings",
)


def sections(
    wanted: list[str],
    sizes: list[int],
    *,
    repeats: int,
    runs: int,
    quick: bool,
    kept: Path | None = None,
) -> Iterator[tuple[str, pd.DataFrame]]:
    """Each table with its title, as it is measured."""
    if "scores" in wanted:
        for n in sizes:
            for kind in ("unif", "metrics"):
                yield (
                    f"Scores, {kind}, n = {n:,}, s = 5: CPU time",
                    beside(kind, n, repeats=repeats),
                )
    if "growth" in wanted:
        ends = (
            {"unif": 3, "metrics": 3, "sphere": 2}
            if quick
            else {"unif": 6, "metrics": 6, "sphere": 4}
        )
        for kind, end in ends.items():
            start = 2 if kind == "sphere" or quick else 3
            yield (
                f"Growth in n, {kind}",
                growth(kind, [10**k for k in range(start, end + 1)], repeats=repeats),
            )
    if "metrics" in wanted:
        for n in [100] if quick else [1_000, 10_000]:
            for kind in ("unif", "metrics"):
                yield (
                    f"Number of metrics, {kind}",
                    wide(kind, n, [2, 3] if quick else [2, 3, 4, 5, 6, 7, 8, 9, 10]),
                )
    if "build_hull" in wanted:
        yield from compare_designs(quick)
    if "memory" in wanted:
        for kind in ("unif", "metrics"):
            yield f"One call, {kind}: time and memory", memory(kind, 1_000 if quick else 1_000_000)
    if "targets" in wanted:
        yield "Closest targets", speed(20 if quick else 200, 5 if quick else 50)
        for extreme in [10] if quick else [20, 50]:
            yield f"Faces and MILP, |E| = {extreme}", faces_and_milp(extreme, 2 if quick else 10)
    if "models" in wanted:
        n = 20 if quick else 1_000
        yield f"Every model beside others, n = {n:,}, s = 5, m = 2", models(n, repeats=repeats)
    if "right" in wanted:
        yield "Targets against brute force", right(4 if quick else 100)
        if not quick:
            yield "Targets where a published MILP errs", published()
    for section, share in (("proofs", 0.1), ("proofs-all", 1.0)):  # a tenth takes a minute, all ten
        if section in wanted:
            yield from proofs(share, quick)
    if "proofs" in wanted and not quick:
        yield "What it costs to prove facets complete", proof_costs.facets()
        yield "What it costs to prove targets the closest", proof_costs.minimality()
        yield "What it costs to prove scores", proof_costs.scores((1_000, 100_000, 1_000_000))
    if "type-one" in wanted:
        title = "Rejections of three classifiers that are alike, at a nominal 5 %"
        yield (
            f"{title}, exactly",
            (exactly((2, 3, 11)) if quick else exactly()).T.rename_axis("test"),
        )
        error_rates = type_one((2, 3, 11), runs=20) if quick else type_one(kept=kept)
        yield f"{title}, drawn", error_rates.T.rename_axis("test")
    if "coverage" in wanted:
        yield from coverage(quick)
    if "scale" in wanted:
        yield from in_memory(quick)
        yield from scale(quick)
    if "start" in wanted:
        yield "Start-up, whole process", start_up(1 if quick else 7)
    if "study" in wanted:
        yield "What a study costs beside its learners", overhead(200 if quick else 4000)
        yield "What a trivial task costs", trivial_tasks(1000 if quick else 100_000)
        yield "Who holds the data", shared_rows(10_000 if quick else 1_000_000)
    if "certainty" in wanted:
        for group in GROUPS:
            yield f"Certainty, {group}", certainty(group, runs=2 if quick else runs, kept=kept)
        yield "Certainty, CPU seconds", spent(*((10, 200) if quick else (100, 10_000)))
        yield "Certainty, beside others", rivals(2 if quick else 50)
    if "decisions" in wanted:
        yield from decisions(runs, quick, kept)
    if "peers" in wanted:
        yield (
            "Verdicts of other packages on the same answers",
            peers(1 if quick else runs // 5, kept),
        )
    if "weightings" in wanted:
        yield from weightings(runs, quick)


def proofs(share: float, quick: bool) -> Iterator[tuple[str, pd.DataFrame]]:
    """What is answered and proved of tables that try it; `share` of as many tables as were asked
    for.
    """
    yield (
        "Integer tables against a rational simplex",
        integer_tables(8 if quick else round(share * 2_000)),
    )
    yield "Tables with noise", noisy_tables(9 if quick else round(share * 1_200))
    yield "Degenerate tables", degenerate_results(8 if quick else round(share * 1_000))
    yield (
        "Tables at spreads .1 to 1e-4: how many change",
        spread_tables(1 if quick else round(share * 60)),
    )


def coverage(quick: bool) -> Iterator[tuple[str, pd.DataFrame]]:
    """How often intervals hold the truth, 200 instances."""
    title = "Coverage of 95 % intervals, 200 instances"
    for design in ("rows", "classes"):
        yield f"{title}, counts, {design}", summed(of_counts(design, 100 if quick else 2000))
    yield f"{title}, scores", summed(of_scores(10 if quick else 800))
    yield f"{title}, differences", summed(of_differences(4 if quick else 400))
    for other in ("classes", "clusters", "folds"):
        yield f"{title}, design '{other}'", summed(of_designs(other, 4 if quick else 400))
    yield f"{title}, two test sets, exactly", summed(of_two_test_sets())


def machine() -> str:
    """What it was measured on, in one line."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [
            line.split(":", 1)[1].strip()
            for line in info.read_text().splitlines()
            if line.startswith("model name")
        ]
        model = f"{names[0]}, {len(names)} logical processors" if names else model
    packages = ", ".join(
        f"{name} {version(name)}" for name in ("highspy", "pyomo", "scipy", "numpy", "pandas")
    )
    return f"{model}; {platform.system()}; Python {platform.python_version()}; {packages}"


def shown(table: pd.DataFrame) -> str:
    """A table for people: three digits are more than the clock is good for."""

    def digits(value: float) -> str:
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"

    return str(table.reset_index().to_string(index=False, float_format=digits, na_rep=""))


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "sections", nargs="*", metavar="SECTION", help=f"of {', '.join(SECTIONS)}; all without it"
    )
    parser.add_argument("--sizes", default="100,1000,5000", help="n of the comparison, as 100,1000")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument(
        "--runs", type=int, default=500, help="of each setting of certainty and decisions"
    )
    parser.add_argument(
        "--kept",
        type=Path,
        help="folder where runs of certainty and type-one are kept, to go on after a stop",
    )
    parser.add_argument("--quick", action="store_true", help="tiny sizes, to see that it runs")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of tables")
    arguments = parser.parse_args(argv)
    unknown = [name for name in arguments.sections if name not in SECTIONS]
    if unknown:
        parser.error(f"there is no section '{unknown[0]}'; the sections are {', '.join(SECTIONS)}")
    sizes = [40] if arguments.quick else [int(n) for n in arguments.sizes.split(",")]
    measurements = {}
    print_message(machine())
    for title, table in sections(
        arguments.sections or list(SECTIONS),
        sizes,
        repeats=1 if arguments.quick else arguments.repeats,
        runs=arguments.runs,
        quick=arguments.quick,
        kept=arguments.kept,
    ):
        measurements[title] = json.loads(
            table.reset_index().to_json(orient="records", double_precision=15)
        )
        if not arguments.json:
            sys.stdout.write(f"\n{title}\n\n{shown(table)}\n")
            sys.stdout.flush()
    if arguments.json:
        sys.stdout.write(
            json.dumps({"machine": machine(), "tables": measurements}, indent=1) + "\n"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
