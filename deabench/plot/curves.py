"""Pictures of gain, lift, conversion rates, precision-recall, cost curves and learning curves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.collections import LineCollection

from deabench.curves import Conversion, CostCurve, Gain, LearningCurve, Lift, PrecisionRecall
from deabench.plot.canvas import (
    COLOURS,
    DOTTED,
    GREY,
    add_legend,
    apply_style,
    background_colour,
    draw_grid,
    draw_unit_square,
    escape_label,
    font_size,
    line_style,
    make_axes,
    set_title,
    style_numbers,
    text_colour,
)
from deabench.plot.display import Display


@dataclass(repr=False)
class GainDisplay(Display):
    """Cumulative gain and negative gain of one classifier, the maximum gain marked.

    Attributes
    ----------
    gain : Gain
    name : str
    ax_, figure_, lines_, maximum_ : artists, once drawn
        lines_: gain, negative gain.

    Examples
    --------
    >>> from deabench import plot
    >>> from deabench import curves
    >>> y, score = [1, 1, 0, 1, 0, 0], [.9, .8, .7, .6, .3, .1]
    >>> plot.GainDisplay(curves.gain(y, score))
    GainDisplay: not drawn yet; plot() draws it
    """

    gain: Gain
    name: str = ""

    @classmethod
    def from_result(cls, result: Gain, *, name: str = "") -> GainDisplay:
        """Show one curve, with the name of its classifier."""
        return cls(result, name)

    def plot(self, ax: Any = None, **style: Any) -> GainDisplay:
        """Draw on `ax`, or on a new figure, with matplotlib's keywords for the lines."""
        self.ax_ = ax = make_axes(ax)
        points = self.gain.points
        maximum = self.gain.maximum
        ax.plot([0, 1], [0, 1], **DOTTED)
        self.lines_ = [
            ax.plot(
                points["population"], points[column], linewidth=1.6, label=label, **line_style(k)
            )[0]
            for k, (column, label) in enumerate(
                (("gain", "positives found"), ("negative_gain", "negatives found"))
            )
        ]
        # The largest distance between both curves.
        (self.maximum_,) = ax.plot(
            [maximum["population"]] * 2,
            [maximum["negative_gain"], maximum["gain"]],
            color=text_colour(),
            linewidth=1.2,
            marker="_",
            markersize=8,
            label=f"maximum {maximum['difference']:.3f} at {maximum['population']:.1%} of the rows",
        )
        draw_unit_square(ax, "share of the rows, highest scores first", "share of the class found")
        add_legend(ax, [*self.lines_, self.maximum_], loc="lower right")
        set_title(ax, "cumulative gain", self.name)
        apply_style(ax, self.lines_, style)
        return self


@dataclass(repr=False)
class LiftDisplay(Display):
    """Lift of several classifiers over the share of the rows taken.

    Attributes
    ----------
    lifts : mapping of name to Lift
    ax_, figure_, lines_ : artists, once drawn

    Examples
    --------
    >>> from deabench import plot
    >>> from deabench import curves
    >>> y, score = [1, 1, 0, 1, 0, 0], [.9, .8, .7, .6, .3, .1]
    >>> plot.LiftDisplay(curves.lift(y, score))
    LiftDisplay: not drawn yet; plot() draws it
    """

    lifts: Mapping[str, Lift]

    @classmethod
    def from_result(cls, result: Lift, *, name: str = "") -> LiftDisplay:
        """Show one curve, with the name of its classifier."""
        return cls({name: result})

    def plot(self, ax: Any = None, **style: Any) -> LiftDisplay:
        """Draw on `ax`, or on a new figure, with matplotlib's keywords for the lines."""
        self.ax_ = ax = make_axes(ax, size=(6.0, 4.4))
        ax.axhline(1, **DOTTED)
        numbers = style_numbers(self.lifts)
        self.lines_ = [
            ax.plot(
                *_lift_line(lift),
                linewidth=1.6,
                label=escape_label(name),
                **line_style(numbers[name]),
            )[0]
            for name, lift in self.lifts.items()
        ]
        draw_grid(ax)
        ax.set(
            xlabel="share of the rows, highest scores first",
            ylabel="lift (1: as at random)",
            xlim=(0, 1.02),
        )
        ax.set_ylim(bottom=0)
        add_legend(
            ax, self.lines_, merit=[lift.roc.auc for lift in self.lifts.values()], loc="best"
        )
        set_title(ax, "lift")
        apply_style(ax, self.lines_, style)
        return self


@dataclass(repr=False)
class ConversionDisplay(Display):
    """Conversion rates as bars: the share of each class in the data and in the predicted groups.

    Attributes
    ----------
    conversion : Conversion
    name : str
    ax_, figure_, bars_, texts_ : artists, once drawn
        bars_: positives, negatives.

    Examples
    --------
    >>> from deabench import plot
    >>> from deabench import curves
    >>> y, score = [1, 1, 0, 1, 0, 0], [.9, .8, .7, .6, .3, .1]
    >>> plot.ConversionDisplay(curves.conversion_rates(y, score, above=.5))
    ConversionDisplay: not drawn yet; plot() draws it
    """

    conversion: Conversion
    name: str = ""

    @classmethod
    def from_result(cls, result: Conversion, *, name: str = "") -> ConversionDisplay:
        """Show one curve, with the name of its classifier."""
        return cls(result, name)

    def plot(self, ax: Any = None, **style: Any) -> ConversionDisplay:
        """Draw on `ax`, or on a new figure, with matplotlib's keywords for the lines."""
        self.ax_ = ax = make_axes(ax, size=(6.0, 4.2))
        rates = self.conversion.rates
        x = np.arange(3)
        self.bars_: list[Any] = []
        self.texts_: list[Any] = []
        for k, (column, hatch) in enumerate((("positive", ""), ("negative", "///"))):
            percentages = [f"{share:.1%}" for share in rates[column]]
            bars = ax.bar(
                # The two bars of a group stand left and right of its tick.
                x + 0.38 * (k - 0.5),
                rates[column],
                width=0.36,
                label=f"{column}s",
                hatch=hatch,
                color=COLOURS[k] if k == 0 else background_colour(),
                edgecolor=COLOURS[k],
            )
            self.texts_ += ax.bar_label(
                bars,
                labels=[text.replace("nan%", "") for text in percentages],
                fontsize=font_size(8),
                padding=2,
            )
            self.bars_.append(bars)
        draw_grid(ax)
        # Vertical lines between bars mean nothing.
        ax.grid(False, axis="x")
        ax.set(ylabel="share of the group", ylim=(0, 1.12))
        # One word in a line: groups stand close together.
        names = [str(group).replace(" ", "\n") for group in rates.index]
        labels = [f"{name}\nn = {n}" for name, n in zip(names, rates["n"], strict=True)]
        ax.set_xticks(x, labels)
        add_legend(ax, self.bars_, loc="upper center", ncols=2)
        set_title(ax, f"conversion rates: {escape_label(self.conversion.rule)}", self.name)
        apply_style(ax, self.bars_, style)
        return self


@dataclass(repr=False)
class PrecisionRecallDisplay(Display):
    """Precision-recall curves of several classifiers, as steps.

    Attributes
    ----------
    curves : mapping of name to PrecisionRecall
    ax_, figure_, lines_ : artists, once drawn

    Examples
    --------
    >>> from deabench import plot
    >>> from deabench import curves
    >>> y, score = [1, 1, 0, 1, 0, 0], [.9, .8, .7, .6, .3, .1]
    >>> plot.PrecisionRecallDisplay(curves.precision_recall(y, score))
    PrecisionRecallDisplay: not drawn yet; plot() draws it
    """

    curves: Mapping[str, PrecisionRecall]

    @classmethod
    def from_result(cls, result: PrecisionRecall, *, name: str = "") -> PrecisionRecallDisplay:
        """Show one curve, with the name of its classifier."""
        return cls({name: result})

    def plot(self, ax: Any = None, **style: Any) -> PrecisionRecallDisplay:
        """Draw on `ax`, or on a new figure, with matplotlib's keywords for the lines."""
        self.ax_ = ax = make_axes(ax)
        for prevalence in sorted({curve.prevalence for curve in self.curves.values()}):
            ax.axhline(prevalence, **DOTTED)
        self.lines_: list[Any] = []
        numbers = style_numbers(self.curves)
        for name, curve in self.curves.items():
            # The first point has no prediction, and so no precision.
            points = curve.points.iloc[1:]
            self.lines_ += ax.step(
                [0, *points["recall"]],
                [points["precision"].iloc[0], *points["precision"]],
                where="pre",
                linewidth=1.5,
                **line_style(numbers[name]),
                label=f"{escape_label(name)} (AP {curve.average_precision:.3f})",
            )
        draw_unit_square(ax, "recall", "precision")
        add_legend(
            ax,
            self.lines_,
            merit=[curve.average_precision for curve in self.curves.values()],
            loc="best",
        )
        set_title(ax, "precision and recall (dotted: a random score)")
        apply_style(ax, self.lines_, style)
        return self


@dataclass(repr=False)
class CostCurveDisplay(Display):
    """Lower envelopes of the cost lines; for one classifier some sixty of its lines too.

    Attributes
    ----------
    curves : mapping of name to CostCurve
    ax_, figure_, lines_, faint_ : artists, once drawn
        lines_: the envelopes; faint_: the cost lines.

    Examples
    --------
    >>> from deabench import plot
    >>> from deabench import curves
    >>> y, score = [1, 1, 0, 1, 0, 0], [.9, .8, .7, .6, .3, .1]
    >>> plot.CostCurveDisplay(curves.cost_curve(y, score))
    CostCurveDisplay: not drawn yet; plot() draws it
    """

    curves: Mapping[str, CostCurve]

    @classmethod
    def from_result(cls, result: CostCurve, *, name: str = "") -> CostCurveDisplay:
        """Show one curve, with the name of its classifier."""
        return cls({name: result})

    def plot(self, ax: Any = None, **style: Any) -> CostCurveDisplay:
        """Draw on `ax`, or on a new figure, with matplotlib's keywords for the lines."""
        self.ax_ = ax = make_axes(ax, size=(6.0, 4.4))
        self.lines_: list[Any] = []
        self.faint_: list[Any] = []
        ax.plot([0, 0.5, 1], [0, 0.5, 0], **DOTTED)
        numbers = style_numbers(self.curves)
        for name, curve in self.curves.items():
            if len(self.curves) == 1:
                # About sixty of the cost lines show how the envelope comes about.
                sample = curve.lines.iloc[:: max(1, len(curve.lines) // 60)]
                ends = [[(0, fpr), (1, fnr)] for fpr, fnr in sample.to_numpy()]
                self.faint_.append(
                    ax.add_collection(LineCollection(ends, colors=GREY, alpha=0.4, linewidths=0.5))
                )
            # An envelope is given by the left ends of its pieces; add the right end of the last.
            x = np.append(curve.envelope["from_pc"], 1.0)
            y = np.append(curve.envelope["from_nec"], curve.envelope["to_nec"].iloc[-1])
            self.lines_ += ax.plot(
                x,
                y,
                linewidth=1.8,
                label=f"{escape_label(name)} (mean {curve.area:.3f})",
                **line_style(numbers[name]),
            )
        draw_grid(ax)
        ax.set(
            xlabel="probability cost PC: the positives' share of the cost of erring always",
            ylabel="normalised expected cost",
            xlim=(0, 1),
            ylim=(0, 0.55),
        )
        add_legend(
            ax,
            self.lines_,
            # A cheaper classifier comes first in the legend.
            merit=[-curve.area for curve in self.curves.values()],
            loc="upper right",
        )
        set_title(ax, "cost curves (dotted: nothing, or everything, positive)")
        apply_style(ax, self.lines_, style)
        return self


@dataclass(repr=False)
class LearningCurveDisplay(Display):
    """The metric against the training size: mean and one standard deviation over the folds.

    Attributes
    ----------
    curve : LearningCurve
    metric : str
        Its name on the axis.
    ax_, figure_, lines_, area_ : artists, once drawn
        lines_: test, training.

    Examples
    --------
    >>> from deabench import plot
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from deabench import curves
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> schedule = curves.geometric(50, 3)
    >>> curve = curves.learning_curve(GaussianNB(), X, y, schedule=schedule, cv=3)
    >>> plot.LearningCurveDisplay.from_result(curve)
    LearningCurveDisplay: not drawn yet; plot() draws it
    """

    curve: LearningCurve
    metric: str = "metric"

    @classmethod
    def from_result(cls, result: LearningCurve, *, metric: str = "metric") -> LearningCurveDisplay:
        """Show one learning curve, with the name of its metric."""
        return cls(result, metric)

    def plot(self, ax: Any = None, **style: Any) -> LearningCurveDisplay:
        """Draw on `ax`, or on a new figure, with matplotlib's keywords for the lines."""
        self.ax_ = ax = make_axes(ax, size=(6.0, 4.2))
        table = self.curve.means
        self.area_ = ax.fill_between(
            table.index,
            table["mean"] - table["sd"],
            table["mean"] + table["sd"],
            alpha=0.2,
            linewidth=0,
            color=line_style(0)["color"],
        )
        self.lines_ = [
            ax.plot(
                table.index,
                table[column],
                marker="o",
                markersize=3.5,
                linewidth=1.5,
                label=label,
                **line_style(k),
            )[0]
            for k, (column, label) in enumerate(
                (("mean", "test folds, mean ± sd"), ("training_mean", "training sample"))
            )
        ]
        if self.curve.schedule.kind == "geometric":
            ax.set_xscale("log")
            # Eight labels have room.
            sizes = table.index[:: -(-len(table) // 8)]
            ax.set_xticks(sizes, [str(size) for size in sizes])
            ax.set_xticks([], minor=True)
        draw_grid(ax)
        ax.set(xlabel="training rows", ylabel=self.metric)
        add_legend(ax, self.lines_, loc="best")
        title = f"learning curve, {self.curve.schedule.kind} sampling: "
        if self.curve.stopped_at:
            title += f"stopped changing at {self.curve.stopped_at} rows"
        else:
            title += "still changing when the rows ran out"
        set_title(ax, title)
        apply_style(ax, self.lines_, style)
        return self


def _lift_line(lift: Lift) -> tuple[np.ndarray, np.ndarray]:
    """Return the lift between its points, too.

    Gain is linear between two points, and lift is gain over population.
    """
    population = np.append(0.0, lift.points["population"])
    # The points include the origin, where the lift is 0/0: it is left out of x.
    gain = lift.roc.points["TPR"]
    x = np.unique(np.concatenate([population[1:], np.linspace(0, 1, 201)[1:]]))
    return x, np.interp(x, population, gain) / x
