"""A map of a data set with its minority's rows by kind: a picture, and only a picture.

t-SNE keeps neighbours together but not distances or sizes, and of a minority's rows 2 to 43 %
change their kind between the data and the map; the type comes from `deabench.study.data.data_type`,
computed in the space of the features."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.plot.canvas import apply_style, make_axes, text_colour
from deabench.plot.display import Display

if TYPE_CHECKING:
    from deabench.study.data.dataset import Dataset

STYLES = {
    "safe": ("#0072B2", "o"),
    "borderline": ("#E69F00", "s"),
    "rare": ("#009E73", "^"),
    "outlier": ("#D55E00", "X"),
}
"""Colour (Okabe and Ito's, told apart without red and green) and marker of each kind."""


@dataclass(repr=False)
class TypeMapDisplay(Display):
    """Rows in two dimensions, coloured by the computed kind.

    Attributes
    ----------
    points : DataFrame
        One row per row of the data: x, y and kind (majority, safe, borderline, rare, outlier).
    title : str
    figure_, ax_ : after `plot`
        The figure and the axes drawn on.
    """

    points: pd.DataFrame
    title: str
    figure_: Any = field(default=None, repr=False)
    ax_: Any = field(default=None, repr=False)

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

        Raises
        ------
        DataError
            Where the perplexity is not between 1 and the number of rows.
        """
        from sklearn.manifold import TSNE

        from deabench.study.data.data_type import infer_data_type, standardize_features

        if not 1 <= perplexity < len(data.y):
            raise DataError(
                f"perplexity is {perplexity:g}; give a number from 1 to below the {len(data.y)} rows"
            )
        found = infer_data_type(data)
        place = TSNE(2, init="pca", perplexity=perplexity, random_state=seed).fit_transform(
            standardize_features(data.X)
        )
        kinds = pd.Series("majority", index=np.arange(len(data.y)))
        kinds.update(found.kinds)
        shares = ", ".join(f"{name} {found.shares[name]:.0%}" for name in STYLES)
        label = f"{data.name}: {found.label} by the rule" + (
            f", {data.type} by its label" if data.type else ""
        )
        return cls(
            pd.DataFrame({"x": place[:, 0], "y": place[:, 1], "kind": kinds}), f"{label}\n{shares}"
        )

    def plot(self, ax: Any = None, **look: Any) -> TypeMapDisplay:
        """Draw the map; on a new figure without `ax`; with matplotlib's keywords for the minority's
        marks.
        """
        ax, drawn = make_axes(ax, size=(6, 5.2)), []
        majority = self.points[self.points["kind"] == "majority"]
        ax.scatter(
            majority["x"],
            majority["y"],
            s=8,
            c="0.78",
            linewidths=0,
            label=f"majority ({len(majority)})",
        )
        for kind, (colour, marker) in STYLES.items():
            rows = self.points[self.points["kind"] == kind]
            if len(rows):
                drawn.append(
                    ax.scatter(
                        rows["x"],
                        rows["y"],
                        s=34,
                        c=colour,
                        marker=marker,
                        edgecolors=text_colour(),
                        linewidths=0.5,
                        label=f"{kind} ({len(rows)})",
                    )
                )
        ax.set(xticks=[], yticks=[], title=self.title)
        ax.set_xlabel("t-SNE map: distances and sizes have no meaning")
        ax.legend(
            loc="upper center",
            bbox_to_anchor=(0.5, -0.06),
            ncols=5,
            fontsize="small",
            frameon=False,
            columnspacing=0.9,
            handletextpad=0.1,
        )
        apply_style(ax, drawn, look)
        self.ax_, self.figure_ = ax, ax.figure
        return self
