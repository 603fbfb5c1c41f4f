"""The options of a model, and of many files that are read in batches."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from deabench.cli.options.declarations import (
    Plot,
    model_hints,
    model_names,
    option_hints,
    option_words,
    reject_options,
    word_option,
)
from deabench.errors import DataError, UsageError

if TYPE_CHECKING:
    from deabench.models.options import ModelRequest
    from deabench.results.ranking import Ranking


class Picture(enum.StrEnum):
    """A picture of a ranking: efficiencies, peers, or the metrics that carry each score."""

    ranking = "ranking"
    peers = "peers"
    weights = "weights"


@dataclass(frozen=True)
class ModelWords:
    """The model and its options."""

    model: Annotated[
        str | None,
        typer.Option(
            help="The DEA model; 'deabench models' lists them. Default: wei, or with costs ccr "
            "under variable returns to scale.",
            **word_option("model", model_names, model_hints),
        ),
    ] = None
    option: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="An option of the model, as direction=range; 'deabench models MODEL' lists them. "
            "Repeat it for several.",
        ),
    ] = None
    returns: Annotated[
        str | None,
        typer.Option(
            help="Returns to scale: crs, vrs, nirs or ndrs, if the model has them.",
            **word_option("returns", option_words("returns"), option_hints),
        ),
    ] = None
    orientation: Annotated[
        str | None,
        typer.Option(
            help="Change the outputs, the inputs or both: output, input or none, if the model has "
            "it.",
            **word_option("orientation", option_words("orientation"), option_hints),
        ),
    ] = None

    def request(self) -> ModelRequest:
        """Return the model that the options describe.

        Raises
        ------
        UsageError
            If the model does not have an option, --option stands without --model, or names what
            another option names.
        """
        from deabench.models.options import ModelRequest, parse_options

        if not self.option:
            return ModelRequest(self.model, self.returns, self.orientation)
        if self.model is None:
            raise UsageError(f"--option {self.option[0]} needs a model; type --model NAME, too")
        # The model's own options check these words, too.
        try:
            options = parse_options(self.model, self.option)
            typed = {"--returns": self.returns, "--orientation": self.orientation}
            twice = {name: word for name, word in typed.items() if name[2:] in options}
            reject_options("is named by --option, too", twice)
            return ModelRequest(self.model, self.returns, self.orientation, options)
        except DataError as error:
            raise UsageError(str(error)) from None


@dataclass(frozen=True)
class RankingWords:
    """What a ranking is held against, and what is shown of it besides its table."""

    reference: Annotated[
        str | None,
        typer.Option(help="A table of the systems that span the frontier. Default: TABLE."),
    ] = None
    by_dataset: Annotated[
        bool,
        typer.Option(
            "--by-dataset",
            help="Rank the means, each data set by itself, and all of them on one frontier.",
        ),
    ] = False
    explain: Annotated[
        str | None,
        typer.Option(help="Explain the score of one system; a report begins with it."),
    ] = None
    plot: Plot = None
    show: Annotated[Picture, typer.Option(help="What --plot draws.")] = Picture.ranking

    def draw(self, ranking: Ranking) -> None:
        """Write the picture of a ranking if one is asked for."""
        if self.plot is None:
            return
        from deabench import plot

        displays: dict[Picture, Any] = {
            Picture.ranking: plot.RankingDisplay,
            Picture.peers: plot.PeerNetworkDisplay,
            Picture.weights: plot.WeightsDisplay,
        }
        plot.save_figure(displays[self.show].from_result(ranking).plot().figure_, self.plot)


@dataclass(frozen=True)
class Streaming:
    """How many files are read."""

    tolerance: Annotated[
        float,
        typer.Option(
            help="Many files: rows with an efficiency of at most 1 + this may be left out."
        ),
    ] = 0.0
    kept: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Many files: store finished parts here, so that a stopped run can continue.",
        ),
    ] = None
    scheduler: Annotated[
        str | None, typer.Option(help="Many files: the address of a Dask cluster that reads them.")
    ] = None

    def reject(self) -> None:
        """Refuse these options for a table that is read at once."""
        typed = {"--tolerance": self.tolerance or None, "--kept": self.kept}
        reject_options("is for many files", {**typed, "--scheduler": self.scheduler})
