"""Build a report about a table, a ranking or a study, or of a ranking that was saved as CSV."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from deabench import __version__
from deabench.analysis.targets import On
from deabench.errors import DataError
from deabench.report import result_sections, single_results, study_sections
from deabench.report.changes import compare_reports
from deabench.report.document import Report, ReportTable, Section
from deabench.report.page_data import make_page_data
from deabench.report.report_results import ReportResults, compute_results
from deabench.report.text.report import answer_sentences
from deabench.report.text.words import count_noun, is_or_are, join_names
from deabench.report.weightings_section import weightings_section
from deabench.results.model import Norm
from deabench.results.ranking import Ranking
from deabench.utils.frames import find_key
from deabench.utils.text import csv_text

LONE_SURROGATES = re.compile("[\ud800-\udfff]")
"""Halves of characters, which cannot be written to a file."""
ONE_METRIC_SECTIONS = ("ranking", "tested", "method", "provenance")
"""What is shown of the efficiencies where there is one metric."""
COLUMNS = ["efficiency", "rank", "efficient"]


def report(
    source: Any,
    other: Any = None,
    *,
    tested: pd.DataFrame | Sequence[str] | None = None,
    metrics: Sequence[str] | None = None,
    norm: Norm = "l1",
    on: On = "faces",
    title: str | None = None,
    extra: Mapping[str, Any] | None = None,
    explain: Hashable | None = None,
    by_dataset: bool = False,
    **options: Any,
) -> Report:
    """Build a report about a table, a ranking or a study; of two, about what changed.

    Parameters
    ----------
    source : DataFrame, Ranking or study Summary
        A table has classifiers in rows and metrics in columns. Where two are compared, also a
        report.
    other : as `source`, optional
        What came after. The report is then about `other` and begins with the classifiers whose rank
        changed and the facets that moved.
    tested : DataFrame or sequence of labels, optional
        New algorithms: another table, or rows of this one. They do not span the frontier.
    metrics : sequence of str, optional
        The metrics of the frontier and of the targets, all better high. Default: the outputs.
    norm : {"l1", "l2", "linf"}
    on : {"faces", "facets"}
        See `deabench.targets`; the page can switch both.
    title : str, optional
    extra : mapping, optional
        `intervals`: DataFrame with lower and upper efficiencies by label; `tests`: a result of
        `deabench.compare` or a mapping of names to results with to_frame(); `provenance`: mapping
        of str to str.
    explain : label, optional
        The classifier that the page opens on. Default: the recommended one.
    by_dataset : bool
        Whether each data set of the table is ranked, too: see `deabench.by_dataset`.
    **options
        As for `deabench.rank`: outputs, inputs, missing, strict, model, returns, orientation,
        uncertainty, and reference: the page is then about the reference, and the table is tested
        against it.

    Returns
    -------
    Report

    Raises
    ------
    DataError
        If the data cannot be used.

    Examples
    --------
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> page = db.report(wine, outputs=["TPR", "TNR"])
    >>> page.text("md").splitlines()[0]
    '# Comparison of systems'
    """
    if other is not None:
        if tested is not None:
            raise DataError("two reports are compared by their own systems; leave out tested")
        common = {"metrics": metrics, "norm": norm, "on": on, "extra": extra, **options}
        reports = [source, other]
        for k, page in enumerate(reports):
            if not isinstance(page, Report):
                reports[k] = report(page, **common)
        page = compare_reports(reports[0], reports[1], title)
        return replace(page, sources=(*reports[0].sources, *reports[1].sources))
    extra = dict(extra or {})
    if hasattr(source, "frames"):
        page = _report_study(source, title, tested, metrics, norm, on, extra, options)
    else:
        page = _report_table(
            source, title, tested, metrics, norm, on, extra, explain, by_dataset, options
        )
    files = (source, tested, options.get("reference"), options.get("uncertainty"))
    return replace(page, sources=[name for value in files for name in _file_names(value)])


def _file_names(source: Any) -> list[str]:
    """Return the files that a source names: of a path or a pattern, or of a list of them."""
    names = source if isinstance(source, list | tuple) else [source]
    return [os.fspath(name) for name in names if isinstance(name, str | os.PathLike)]


def _report_table(
    source: Any,
    title: str | None,
    tested: Any,
    metrics: Sequence[str] | None,
    norm: Norm,
    on: On,
    extra: Mapping[str, Any],
    explain: Hashable | None,
    by_dataset: bool,
    options: Mapping[str, Any],
) -> Report:
    """Report a table or a ranking, with what its single results tell."""
    source = _with_writable_labels(source)
    results = compute_results(source, tested, metrics, norm, on, extra.get("intervals"), options)
    results = replace(results, explained=explain)
    inserted: list[Section | None] = [result_sections.tests_section(extra.get("tests"))]
    if by_dataset:
        inserted.append(single_results.by_dataset_section(source, options))
    title = title or "Comparison of systems"
    single = None
    if results.table is not None and extra.get("tests") is None:
        single = single_results.find_single_results(results.table, results)
    if single is None:
        return _assemble_report(results, title, inserted, extra.get("provenance") or {})
    inserted += single_results.single_result_sections(single)
    page = _assemble_report(results, title, inserted, extra.get("provenance") or {})
    comparison = single_results.comparison_section(single, results)
    if comparison is None:
        return page
    # One metric has no trade-offs: the tests say what there is to say, before the efficiencies.
    names = ("notes", *(section.key for section in inserted if section), *ONE_METRIC_SECTIONS)
    sections = {section.key: section for section in page.sections}
    ordered = [comparison, *(sections[name] for name in names if name in sections)]
    answer = single_results.recommend_over_rows(single, results)
    return replace(page, answer=answer, sections=ordered)


def _with_writable_labels(source: Any) -> Any:
    """Join the levels of labels, and replace halves of characters, which no file can hold."""
    if isinstance(source, Ranking) and isinstance(source.scores.index, pd.MultiIndex):
        raise DataError(
            "the ranking's labels have several levels; give the report the table that was ranked, "
            "whose levels are joined"
        )
    if not isinstance(source, pd.DataFrame):
        return source
    # A table of data sets x systems is read as its file would be.
    if source.index.nlevels == 1 and find_key([source.index.name], "dataset") is not None:
        return source.reset_index()
    if isinstance(source.index, pd.MultiIndex):
        joined = [" / ".join(map(str, levels)) for levels in source.index]
        source = source.set_axis(joined).rename_axis("classifier")
    labels = [
        LONE_SURROGATES.sub("\ufffd", name) if isinstance(name, str) else name
        for name in source.index
    ]
    if labels == list(source.index):
        return source
    return source.set_axis(labels)


def _assemble_report(
    results: ReportResults,
    title: str,
    inserted: Sequence[Section | None],
    provenance: Mapping[str, Any],
) -> Report:
    """Order the sections: what a reader acts on comes first, how it was computed last."""
    sections = [
        result_sections.notes_section(results),
        result_sections.ranking_section(results),
        weightings_section(results),
        result_sections.tested_section(results),
        result_sections.targets_section(results),
        result_sections.peers_section(results),
        result_sections.weights_section(results),
        result_sections.facets_section(results),
        result_sections.costs_section(results),
        *inserted,
        result_sections.method_section(results),
        result_sections.provenance_section(results, provenance),
    ]
    present = [section for section in sections if section is not None]
    page_data = make_page_data(results)
    answer = answer_sentences(results)
    if results.explained in results.ranking.scores.index:
        answer += results.ranking.explain(results.explained).splitlines()
    return Report(title, answer, present, page_data, results)


def _report_study(
    summary: Any,
    title: str | None,
    tested: Any,
    metrics: Sequence[str] | None,
    norm: Norm,
    on: On,
    extra: Mapping[str, Any],
    options: Mapping[str, Any],
) -> Report:
    """Report the mean metrics of a study, then its groups, data sets and failures."""
    means = study_sections.overall_means(summary)
    # The columns that any of the arguments names; without outputs all means are outputs.
    columns = [
        *(options.get("outputs") or means.columns),
        *(options.get("inputs") or ()),
        *(metrics or ()),
    ]
    table = means[list(dict.fromkeys(name for name in columns if name in means.columns))]
    # A classifier without a mean in some metric cannot be ranked; the notes name it.
    complete = table.dropna()
    results = compute_results(complete, tested, metrics, norm, on, extra.get("intervals"), options)
    ranking, interval_notes = study_sections.with_study_uncertainty(summary, results.ranking)
    results = replace(results, ranking=ranking)
    tests = extra.get("tests") or getattr(summary, "tests", None)
    page = _assemble_report(
        results,
        title or "Comparative study",
        [*study_sections.study_sections(summary), result_sections.tests_section(tests)],
        extra.get("provenance") or {},
    )
    notes = [*study_sections.study_notes(summary), *interval_notes]
    incomplete = table.index.difference(complete.index)
    if len(incomplete):
        names = join_names(incomplete, len(incomplete))
        notes.append(f"without a mean in some metric: {names}")
    if notes:
        first = Section("notes", "Read this first", notes)
        page = replace(page, sections=[first, *page.sections])
    return page


def is_saved_ranking(frame: pd.DataFrame) -> bool:
    """Return whether a CSV is what `deabench rank --format csv` writes: its columns come first."""
    return list(frame.columns[:3]) == COLUMNS


def report_saved_ranking(frame: pd.DataFrame, title: str | None = None) -> Report:
    """Build the report of a saved ranking.

    Parameters
    ----------
    frame : DataFrame
        Columns efficiency, rank, efficient (True or False, also as text).
    title : str, optional
    """
    # A CSV holds `True` as text.
    is_efficient = frame["efficient"].astype(str).str.lower() == "true"
    frame = frame.rename_axis("system").assign(efficient=is_efficient)
    tables = [ReportTable("ranking-table", "Ranking", frame)]
    facts = pd.Series(
        {
            "deabench": __version__,
            "SHA-256 of the ranking as CSV": hashlib.sha256(csv_text(frame).encode()).hexdigest(),
            "certificates": "none: a saved ranking has no λ and no weights",
        },
        name="value",
    ).rename_axis("what")
    provenance = [ReportTable("provenance-table", "What made this report", facts.to_frame())]
    return Report(
        title or "Ranking of systems",
        _summarize_saved(frame),
        [
            Section("ranking", "Ranking", tables=tables),
            Section("provenance", "Provenance", tables=provenance),
        ],
    )


def _summarize_saved(frame: pd.DataFrame) -> list[str]:
    best = frame[frame["efficient"]]
    inefficient_scores = frame.loc[~frame["efficient"], "efficiency"]
    sentences = [
        f"{len(best)} of {count_noun(len(frame), 'system')} {is_or_are(len(best))} efficient: "
        f"{join_names(best.index)}."
    ]
    if len(inefficient_scores) == 1:
        sentences.append(
            f"The other one is not: its efficiency is {inefficient_scores.iloc[0]:.3f}."
        )
    elif len(inefficient_scores):
        sentences.append(
            f"The other {len(inefficient_scores)} are not: their efficiencies go from "
            f"{inefficient_scores.min():.3f} to {inefficient_scores.max():.3f}."
        )
    sentences.append(
        "A saved ranking holds no metrics: give the table itself for the frontier, targets and "
        "certificates."
    )
    return sentences
