"""Describe release gates, verdicts at any time, what to run next, and plans of test sets."""

from __future__ import annotations

import numpy as np

from deabench.inference.decisions.anytime import AnytimeVerdicts, NextRound
from deabench.inference.decisions.planning import Plan
from deabench.inference.decisions.release_gate import Gate
from deabench.report.text.uncertainty import (
    describe_dominance,
    format_instances,
    format_percent,
    round_down,
    round_up,
)
from deabench.report.text.words import as_sentence, count_noun, is_or_are, join_names
from deabench.utils.text import escape_markdown, quote_names


def summarize_anytime_verdicts(result: AnytimeVerdicts) -> str:
    """Return the verdicts, then what they rest on."""
    dominated = [str(name) for name in result.verdicts.index[result.verdicts == "dominated"]]
    after = count_noun(result.rounds, "round")
    undecided = int((result.verdicts == "undecided").sum())
    if dominated:
        shown = (
            f"After {after} {join_names(dominated)} {is_or_are(len(dominated))} dominated: some "
            "mix of the others beats it in every metric"
        )
    else:
        shown = f"After {after} no system is shown to be dominated"
    wrong = 100 * (1 - result.level)
    return "\n".join(
        [
            f"{shown}; {undecided} of {len(result.verdicts)} {is_or_are(undecided)} undecided.",
            "You may look as often as you like; a verdict of 'dominated' would be wrong in at most "
            f"{wrong:g} of 100 such comparisons.",
            *(as_sentence(note) for note in result.notes),
        ]
    )


def summarize_next_round(result: NextRound) -> str:
    """Return whom to stop, whom to run first, and which class to sample."""
    sentences = []
    if result.stop:
        sentences.append(f"Stop {join_names(result.stop)}: shown to be dominated.")
    promising = result.order[np.isfinite(result.order)]
    if len(promising):
        rounds = f"{promising.iloc[0]:,.0f}"
        sentences.append(
            f"Run {join_names(promising.index)} first, in this order: '{promising.index[0]}' is "
            f"likely to be decided after {rounds} more rounds, if the figures stay as they are."
        )
    else:
        sentences.append("No number of rounds is likely to show another system dominated.")
    open_ended = [str(name) for name in result.order.index[~np.isfinite(result.order)]]
    if open_ended:
        sentences.append(
            f"Nothing can be promised of {join_names(open_ended)}; keep running them as rivals."
        )
    if result.sample_more:
        sentences.append(
            f"In the next rounds take one more instance of the class of '{result.sample_more}': "
            "its evidence lags behind."
        )
    return "\n".join(sentences)


def summarize_plan(plan: Plan) -> str:
    """Return the numbers of instances, a sentence for each question."""
    sentences = []
    metrics = "each metric" if plan.s > 1 else "the metric"
    power = f"with a chance of {plan.power:.0%}"
    if np.isfinite(plan.verdict):
        sentences.append(
            f"A system that is {plan.gap:g} behind in {metrics} is shown to be dominated by "
            f"{plan.verdict:,.0f} instances {power}, judged once; by about {plan.anytime:,.0f} "
            "with verdicts at any time, which stop earlier where the gap is larger."
        )
    if np.isfinite(plan.gate):
        sentences.append(
            f"A candidate with a true efficiency of {plan.score:g} passes a gate at "
            f"{plan.at_least:g} with {plan.gate:,.0f} instances {power}; exact limits need at "
            f"least {plan.blocks:,.0f} blocks."
        )
    sentences.append(
        "The numbers are instances for each metric, of its class where metrics are recalls."
    )
    return "\n".join([*sentences, *(as_sentence(note) for note in plan.notes)])


def summarize_gate(gate: Gate) -> str:
    """Return the verdict of a release gate, its figures, and what the ledger says."""
    if gate.status_only:
        words = "passes" if gate.passed else "does not pass"
        return f"'{gate.candidate}' {words} at {gate.at_least:g}; the ledger shows the status only."
    shown = f"(shown at {100 * (1 - gate.alpha):.4g} %)"
    if gate.verdict == "passes":
        verdict = f"'{gate.candidate}' passes: it scores at least {gate.at_least:g} {shown}."
    elif gate.verdict == "fails":
        verdict = f"'{gate.candidate}' fails: it scores below {gate.at_least:g} {shown}."
    else:
        verdict = f"'{gate.candidate}' is open, which is no pass: {_describe_need(gate)}."
    limits = f"{round_down(gate.lower)} and {round_up(gate.upper)}"
    sentences = [verdict, f"It scores {gate.score:.3f}, between {limits}."]
    if gate.least_inputs and gate.passed:
        names = quote_names(gate.least_inputs)
        sentences.append(
            f"It takes the least {names} of all and would pass with any metrics: nothing else is "
            "compared with it. Ask for its metrics, too, as by --within NAME=LIMIT."
        )
    if gate.decided_after is not None:
        sentences.append(f"Round {gate.decided_after} decided; you may look as often as you like.")
    if gate.beaten_by:
        mix = ", ".join(f"'{name}' {share:.2f}" for name, share in gate.beaten_by.items())
        dominance = describe_dominance(gate.technology, format_percent(gate.secure_gap))
        sentences.append(f"Some mix of the others {dominance}; the one found is {mix}.")
    return " ".join(sentences)


def gate_markdown(gate: Gate) -> str:
    """Return a gate as Markdown, for a comment on a pull request."""
    lines = [f"### Release gate: {gate.verdict}", "", escape_markdown(summarize_gate(gate))]
    if not gate.status_only:
        lines += [
            "",
            "| candidate | at least | score | lower | upper | verdict |",
            "|---|---|---|---|---|---|",
            f"| {escape_markdown(gate.candidate)} | {gate.at_least:g} | {gate.score:.3f} "
            f"| {round_down(gate.lower)} | {round_up(gate.upper)} | {gate.verdict} |",
        ]
    if gate.notes:
        lines += ["", *(f"- {escape_markdown(as_sentence(note))}" for note in gate.notes)]
    return "\n".join(lines) + "\n"


def _describe_need(gate: Gate) -> str:
    if np.isfinite(gate.needed):
        return (
            f"about {format_instances(gate.needed)} {gate.unit} would decide it, today there are "
            f"{gate.instances:,}"
        )
    return f"no number of {gate.unit} would decide it if the figures stay as they are"
