"""Adjusted p values against statsmodels, brute force and the literature."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest
from dea_cases import examples
from hypothesis import given
from hypothesis import strategies as st

from deabench import compare, datasets
from deabench.compare import adjustment
from deabench.compare.adjustment import (
    adjust_p_values,
    list_partitions,
    true_hypothesis_counts,
)
from deabench.errors import DataError

BELL = [1, 1, 2, 5, 15, 52, 203, 877, 4140]


def closed(pairs: frozenset[tuple[int, int]], k: int) -> frozenset[tuple[int, int]]:
    """Every equality that follows from those given."""
    group = list(range(k))
    for i, j in pairs:
        old, new = group[j], group[i]
        group = [new if g == old else g for g in group]
    return frozenset((i, j) for i, j in combinations(range(k), 2) if group[i] == group[j])


def bergmann_by_hand(p: np.ndarray, k: int) -> np.ndarray:
    """From the definition: over all subsets of hypotheses that are closed under what follows from
    them.
    """
    pairs = list(combinations(range(k), 2))
    value = dict(zip(pairs, p, strict=True))
    out = dict.fromkeys(pairs, 0.0)
    for size in range(1, len(pairs) + 1):
        for subset in map(frozenset, combinations(pairs, size)):
            if closed(subset, k) == subset:
                weight = min(1.0, len(subset) * min(value[pair] for pair in subset))
                for pair in subset:
                    out[pair] = max(out[pair], weight)
    return np.array([out[pair] for pair in pairs])


def brute_force_true_together(k: int) -> set[int]:
    """Every partition of k classifiers into classes of equals, by assigning each a class."""
    index_sets = set()
    for code in range(k**k):
        classes = [code // k**i % k for i in range(k)]
        index_sets.add(sum(a == b for a, b in combinations(classes, 2)))
    return index_sets


@pytest.mark.parametrize("k", [3, 4, 5])
def test_bergmann_and_hommel_by_hand(k: int) -> None:
    for seed in range(3 if k == 5 else 8):
        p = np.random.default_rng(seed).random(comb(k, 2)) ** 3
        computed = compare.bergmann_hommel(p, k)
        assert computed == pytest.approx(bergmann_by_hand(p, k), rel=1e-12)
        assert (computed >= p - 1e-15).all()
        assert (computed <= compare.shaffer(p, k) + 1e-12).all()


def test_partitions_are_bells_numbers() -> None:
    for k in range(1, 9):
        rows = list_partitions(k)
        assert len(np.unique(rows, axis=0)) == len(rows) == BELL[k]


def test_bergmann_and_hommel_on_demsars_table_is_never_above_shaffer() -> None:
    table = datasets.load("demsar2006-auc")
    sharp = compare.pairwise(table, adjust="bergmann-hommel").pairs["adjusted"]
    assert sharp.to_numpy() == pytest.approx(
        bergmann_by_hand(compare.pairwise(table).pairs["p_value"].to_numpy(), 4), rel=1e-12
    )


def test_finner_from_its_formula() -> None:
    """1 - (1 - p)^(m/i) in ascending order, each at least the one before."""
    assert compare.finner([0.02, 0.01, 0.04]) == pytest.approx(
        [1 - 0.98**1.5, 1 - 0.99**3, 0.04], rel=1e-12
    )
    assert compare.finner([0.5, 0.4, 1.0]) == pytest.approx(
        [1 - 0.6**3, 1 - 0.6**3, 1.0], rel=1e-12
    )
    raw = np.random.default_rng(0).random(7)
    assert (compare.finner(raw) <= adjust_p_values(raw, "holm", 0) + 1e-15).all()


@pytest.mark.parametrize("method", ["holm", "hochberg", "hommel", "bonferroni"])
def test_the_others_are_statsmodels(method: str) -> None:
    from statsmodels.stats.multitest import multipletests

    p = np.random.default_rng(3).random(10) ** 2
    expected = multipletests(p, method={"hochberg": "simes-hochberg"}.get(method, method))[1]
    assert adjust_p_values(p, method, 5) == pytest.approx(expected, rel=1e-12)  # type: ignore[arg-type]


def test_a_missing_p_value_counts_in_the_family_and_stays_missing() -> None:
    p_values = adjust_p_values([0.01, np.nan, 0.02], "holm", 3)
    assert p_values[[0, 2]] == pytest.approx([0.03, 0.04])
    assert np.isnan(p_values[1])


def test_three_hundred_classifiers_have_their_sets() -> None:
    counts = true_hypothesis_counts(300)
    assert (max(counts), comb(299, 2) + 1 in counts, comb(299, 2) in counts) == (
        comb(300, 2),
        False,
        True,
    )


def test_shaffers_sets() -> None:
    """S(4) and S(5) as Shaffer (1986) has them."""
    assert true_hypothesis_counts(4) == {0, 1, 2, 3, 6}
    assert true_hypothesis_counts(5) == {0, 1, 2, 3, 4, 6, 10}


@given(
    st.integers(3, 5).flatmap(
        lambda k: st.tuples(
            st.just(k), st.lists(st.floats(0, 1), min_size=comb(k, 2), max_size=comb(k, 2))
        )
    )
)
@examples(60)
def test_shaffer_lies_between_raw_and_holm_and_keeps_the_order(
    family: tuple[int, list[float]],
) -> None:
    k, p = family
    values = np.array(p)
    adjusted, holm = (
        compare.shaffer(values, k),
        adjust_p_values(values, "holm", k),
    )  # held against statsmodels elsewhere
    assert (adjusted <= holm + 1e-15).all()
    assert (adjusted >= values).all()
    assert (np.diff(adjusted[np.argsort(values, kind="stable")]) >= 0).all()


@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_shaffers_sets_by_brute_force(k: int) -> None:
    assert true_hypothesis_counts(k) == brute_force_true_together(k)


REFUSED = [
    (
        lambda: adjust_p_values([0.1], "nemenyi", 2),
        "Nemenyi's p values come from the ranks, not from p values; use pairwise(adjust='nemenyi')",
    ),
    (
        lambda: compare.bergmann_hommel(np.ones(78), 13),
        "Bergmann and Hommel's adjustment lists all partitions of 13 systems, too many above "
        "12; use 'shaffer'",
    ),
    (
        lambda: compare.bergmann_hommel([0.1], 3),
        "there are 1 p values; Bergmann and Hommel's adjustment needs all 3 pairs of 3 systems",
    ),
    (
        lambda: compare.shaffer([0.1, 0.2], 3),
        "there are 2 p values; Shaffer's adjustment needs all 3 pairs of 3 systems",
    ),
]


@pytest.mark.parametrize(("call", "text"), REFUSED)
def test_refusals(call: object, text: str) -> None:
    with pytest.raises(DataError) as e:
        call()  # type: ignore[operator]
    assert str(e.value) == text


def test_an_adjustment_has_its_authors() -> None:
    authors = {
        "holm": "Holm's",
        "hochberg": "Hochberg's",
        "finner": "Finner's",
        "bonferroni": "Bonferroni's",
        "nemenyi": "Nemenyi's",
        "shaffer": "Shaffer's static",
        "bergmann-hommel": "Bergmann and Hommel's",
    }
    for adjust, words in authors.items():
        assert adjustment.name_author(adjust) == words
    assert adjustment.describe_family("a", "holm", 3) == (
        " against 'a' with Holm's adjustment of 3 p values"
    )
    assert adjustment.describe_family(None, "shaffer", 6) == (
        " of all pairs with Shaffer's static adjustment of 6 p values"
    )
    assert adjustment.describe_family(None, "holm", 1) == ""
