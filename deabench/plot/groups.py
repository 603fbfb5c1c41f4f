"""Efficiency by imbalance ratio and data type: one line of dots per group of data sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.plot.canvas import (
    GREY,
    apply_style,
    draw_grid,
    escape_label,
    has_layout_engine,
    make_axes,
    marker_style,
    style_numbers,
)
from deabench.plot.display import Display

MOST = 14


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
        most: int = MOST,
    ) -> GroupsDisplay:
        """From a study's table of efficiencies.

        Parameters
        ----------
        efficiency : DataFrame
            Index (grouping, group, panel, classifier), as `efficiency` or `families` of a study's
            summary.
        grouping : str
            "all", "type", "imbalance ratio" or "type and ratio".
        panel : str, optional
            Who is ranked with whom; the first panel without it.
        column : str

        Raises
        ------
        DataError
            Where there is no such grouping.
        """
        levels = efficiency.index.get_level_values("grouping")
        if grouping not in levels:
            raise DataError(
                f"the study has no grouping '{grouping}'; there are "
                + ", ".join(f"'{name}'" for name in dict.fromkeys(levels))
            )
        part = efficiency.loc[grouping]
        chosen = panel if panel is not None else part.index.get_level_values("panel")[0]
        one = part.xs(chosen, level="panel")[column]
        wide = one.unstack(level=-1)[list(dict.fromkeys(one.index.get_level_values(-1)))]
        wide = wide.loc[list(dict.fromkeys(one.index.get_level_values("group")))]
        best = wide.mean().sort_values(ascending=False, kind="stable").index[:most]
        return cls(wide[best], wide.shape[1])

    def plot(self, ax: Any = None, **look: Any) -> GroupsDisplay:
        """Draw on `ax`, or on a figure of its own, with matplotlib's keywords for its marks."""
        groups, names = self.table.index, self.table.columns
        self.ax_ = ax = make_axes(
            ax, size=(8.4, max(1.6 + 0.5 * len(groups), 0.6 + 0.2 * len(names)))
        )
        self.figure_ = ax.figure
        spread = np.linspace(-0.3, 0.3, len(names)) if len(names) > 1 else np.zeros(1)
        turn = style_numbers(names)
        self.dots_ = [
            ax.scatter(
                self.table[name],
                np.arange(len(groups)) + spread[k],
                s=30,
                zorder=3,
                label=escape_label(name),
                **marker_style(turn[name]),
            )
            for k, name in enumerate(names)
        ]
        for y in np.arange(len(groups) - 1) + 0.5:
            ax.axhline(y, color=GREY, alpha=0.3, linewidth=0.8)
        draw_grid(ax)
        ax.grid(False, axis="y")
        ax.set_yticks(np.arange(len(groups)), [escape_label(group) for group in groups], fontsize=8)
        ax.set(
            ylim=(len(groups) - 0.5, -0.5),
            xlabel="efficiency (1: on the frontier; higher is better)",
        )
        more = f"; the best {len(names)} of {self.total}" if self.total > len(names) else ""
        ax.set_title(f"efficiency by group of data sets{more}", fontsize=9, loc="left")
        place = (
            {"loc": "center left", "bbox_to_anchor": (1.01, 0.5)}
            if has_layout_engine(ax)
            else {"loc": "best"}
        )
        ax.legend(handles=self.dots_, fontsize=8, frameon=False, **place)
        apply_style(ax, self.dots_, look)
        return self
