"""Pictures of studies: efficiency by group of data sets, and a map of one data set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.plot.canvas import (
    GREY,
    add_legend,
    apply_style,
    count_rows_with_room,
    draw_grid,
    escape_label,
    font_size,
    has_layout_engine,
    make_axes,
    marker_style,
    set_title,
    style_numbers,
    text_colour,
)
from deabench.plot.display import Display
from deabench.study.data.data_type import infer_data_type, standardize_features

if TYPE_CHECKING:
    from deabench.study.data.dataset import Dataset

MAX_CLASSIFIERS = 14
KIND_STYLES = {
    "safe": ("#0072B2", "o"),
    "borderline": ("#E69F00", "s"),
    "rare": ("#009E73", "^"),
    "outlier": ("#D55E00", "X"),
}
"""Colour (Okabe and Ito's, told apart without red and green) and marker of each kind of row."""


@dataclass(repr=False)
class GroupsDisplay(Display):
    """Efficiencies of classifiers (or families) in groups of data sets.

    Attributes
    ----------
    table : DataFrame, groups x classifiers
        Efficiency, 1 = on the group's frontier.
    total : int
        Classifiers in all; those with the highest means are drawn.
    ax_, figure_, dots_ : artists, once drawn

    Examples
    --------
    >>> import pandas as pd
    >>> from deabench import plot
    >>> rows = pd.MultiIndex.from_tuples([("type", "SD", "all", "a"), ("type", "SD", "all", "b")],
    ...                                  names=["grouping", "group", "panel", "classifier"])
    >>> efficiency = pd.DataFrame({"dea_then_average": [1.0, .9]}, index=rows)
    >>> plot.GroupsDisplay.from_efficiency(efficiency, grouping="type")
    GroupsDisplay: not drawn yet; plot() draws it
    """

    table: pd.DataFrame
    total: int

    @classmethod
    def from_efficiency(
        cls,
        efficiency: pd.DataFrame,
        *,
        grouping: str = "type and ratio",
        panel: str | None = None,
        column: str = "dea_then_average",
        max_classifiers: int = MAX_CLASSIFIERS,
    ) -> GroupsDisplay:
        """Show a study's table of efficiencies.

        Parameters
        ----------
        efficiency : DataFrame
            Index (grouping, group, panel, classifier), as `efficiency` or `families` of a study's
            summary.
        grouping : str
            "all", "type", "imbalance ratio" or "type and ratio".
        panel : str, optional
            Which classifiers are ranked together. Default: the first panel.
        column : str

        Raises
        ------
        DataError
            If there is no such grouping.
        """
        groupings = efficiency.index.get_level_values("grouping")
        if grouping not in groupings:
            names = ", ".join(f"'{name}'" for name in dict.fromkeys(groupings))
            raise DataError(f"the study has no grouping '{grouping}'; there are {names}")
        in_grouping = efficiency.loc[grouping]
        if panel is None:
            # The index still holds group and classifier.
            panel = in_grouping.index.get_level_values("panel")[0]
        in_panel = in_grouping.xs(panel, level="panel")[column]
        # Groups and classifiers keep their order in the study's table.
        table = in_panel.unstack(level=-1)
        table = table[list(dict.fromkeys(in_panel.index.get_level_values(-1)))]
        table = table.loc[list(dict.fromkeys(in_panel.index.get_level_values("group")))]
        # The classifiers with the highest mean over the groups.
        best = table.mean().sort_values(ascending=False, kind="stable").index[:max_classifiers]
        return cls(table[best], table.shape[1])

    def plot(self, ax: Any = None, **style: Any) -> GroupsDisplay:
        """Draw on `ax`, or on a new figure, with matplotlib's keywords for the dots."""
        groups = self.table.index
        names = self.table.columns
        height = max(1.6 + 0.5 * len(groups), 0.6 + 0.2 * len(names))
        self.ax_ = ax = make_axes(ax, size=(8.4, height))
        names = names[: count_rows_with_room(ax, len(names), 10)]
        # Within a group the classifiers stand below each other.
        offsets = np.linspace(-0.3, 0.3, len(names)) if len(names) > 1 else np.zeros(1)
        numbers = style_numbers(names)
        self.dots_ = [
            ax.scatter(
                self.table[name],
                np.arange(len(groups)) + offsets[k],
                s=30,
                zorder=3,
                label=escape_label(name),
                **marker_style(numbers[name]),
            )
            for k, name in enumerate(names)
        ]
        for y in np.arange(len(groups) - 1) + 0.5:
            ax.axhline(y, color=GREY, alpha=0.3, linewidth=0.8)
        draw_grid(ax)
        ax.grid(False, axis="y")
        ax.set_yticks(
            np.arange(len(groups)), [escape_label(group) for group in groups], fontsize=font_size(8)
        )
        ax.set(
            ylim=(len(groups) - 0.5, -0.5),
            xlabel="efficiency (1: on the frontier; higher is better)",
        )
        title = "efficiency by group of data sets"
        if self.total > len(names):
            title += f"; the best {len(names)} of {self.total}"
        set_title(ax, title)
        location: dict[str, Any] = {"loc": "best"}
        if has_layout_engine(ax):
            location = {"loc": "center left", "bbox_to_anchor": (1.01, 0.5)}
        ax.legend(handles=self.dots_, fontsize=font_size(8), frameon=False, **location)
        apply_style(ax, self.dots_, style)
        return self


@dataclass(repr=False)
class TypeMapDisplay(Display):
    """A map of a data set (t-SNE) with the rows of its minority by kind: a picture, no evidence.

    t-SNE keeps neighbours together but not distances or sizes, and of a minority's rows 2 to 43 %
    change their kind between the data and the map. The kinds come from
    `deabench.study.data.data_type`, computed in the space of the features.

    Attributes
    ----------
    points : DataFrame
        One row per row of the data: x, y and kind (majority, safe, borderline, rare, outlier).
    title : str
    ax_, figure_, dots_ : artists, once drawn

    Examples
    --------
    >>> import pandas as pd
    >>> from deabench import plot
    >>> rows = pd.DataFrame({"x": [0.0, 1.0], "y": [0.0, 1.0], "kind": ["majority", "safe"]})
    >>> plot.TypeMapDisplay(rows, "two rows")
    TypeMapDisplay: not drawn yet; plot() draws it
    """

    points: pd.DataFrame
    title: str

    @classmethod
    def from_dataset(
        cls, data: Dataset, *, perplexity: float = 30.0, seed: int = 0
    ) -> TypeMapDisplay:
        """Compute the map (t-SNE from the first two principal components) and the kinds.

        Parameters
        ----------
        data : Dataset
            See `deabench.study.data.dataset`. A map of 500 rows takes a second, one of 5,000 a
            minute.
        perplexity : float
            About how many neighbours count; below the number of rows. The picture depends on it.
        seed : int

        Raises
        ------
        DataError
            If the perplexity is not between 1 and the number of rows.
        """
        from sklearn.manifold import TSNE

        count = len(data.y)
        if not 1 <= perplexity < count:
            raise DataError(
                f"perplexity is {perplexity:g}; give a number from 1 to below the {count} rows"
            )
        computed = infer_data_type(data)
        embedding = TSNE(2, init="pca", perplexity=perplexity, random_state=seed)
        positions = embedding.fit_transform(standardize_features(data.X))
        # Rows of the majority have no kind.
        kinds = pd.Series("majority", index=np.arange(count))
        kinds.update(computed.kinds)
        points = pd.DataFrame({"x": positions[:, 0], "y": positions[:, 1], "kind": kinds})
        title = f"{data.name}: {computed.label} by the rule"
        if data.type:
            title += f", {data.type} by its label"
        shares = ", ".join(f"{kind} {computed.shares[kind]:.0%}" for kind in KIND_STYLES)
        return cls(points, f"{title}\n{shares}")

    def plot(self, ax: Any = None, **style: Any) -> TypeMapDisplay:
        """Draw on `ax`, or on a new figure; keywords are for the markers of the minority."""
        self.ax_ = ax = make_axes(ax, size=(6, 5.2))
        # The majority is a faint background, the kinds of the minority stand out before it.
        majority = self.points[self.points["kind"] == "majority"]
        majority_dots = ax.scatter(
            majority["x"],
            majority["y"],
            s=8,
            c="0.78",
            linewidths=0,
            label=f"majority ({len(majority)})",
        )
        self.dots_: list[Any] = []
        for kind, (colour, marker) in KIND_STYLES.items():
            rows = self.points[self.points["kind"] == kind]
            if not len(rows):
                continue
            kind_dots = ax.scatter(
                rows["x"],
                rows["y"],
                s=34,
                c=colour,
                marker=marker,
                edgecolors=text_colour(),
                linewidths=0.5,
                label=f"{kind} ({len(rows)})",
            )
            self.dots_.append(kind_dots)
        ax.set(xticks=[], yticks=[], xlabel="t-SNE map: distances and sizes have no meaning")
        set_title(ax, self.title)
        add_legend(ax, [majority_dots, *self.dots_], below=True, ncols=5, frameon=False)
        apply_style(ax, self.dots_, style)
        return self
