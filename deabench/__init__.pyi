import deabench_models as models
from deabench import compare as compare
from deabench import curves as curves
from deabench import datasets as datasets
from deabench import metrics as metrics
from deabench import plot as plot
from deabench import tango as tango
from deabench.dea.advice import Advice as Advice
from deabench.dea.advice import advise as advise
from deabench.dea.best import best as best
from deabench.dea.certify import certify as certify
from deabench.dea.contexts.families import Groups as Groups
from deabench.dea.contexts.families import groups as groups
from deabench.dea.contexts.peeled import Layers as Layers
from deabench.dea.contexts.peeled import layers as layers
from deabench.dea.contexts.periods import Malmquist as Malmquist
from deabench.dea.contexts.periods import malmquist as malmquist
from deabench.dea.frontier import Frontier as Frontier
from deabench.dea.frontier import frontier as frontier
from deabench.dea.partial import Partial as Partial
from deabench.dea.partial import order_alpha as order_alpha
from deabench.dea.partial import order_m as order_m
from deabench.dea.pooled import ByDataset as ByDataset
from deabench.dea.pooled import by_dataset as by_dataset
from deabench.dea.ranking import Ranking as Ranking
from deabench.dea.ranking import rank as rank
from deabench.dea.scale import ScaleEfficiency as ScaleEfficiency
from deabench.dea.scale import scale_efficiency as scale_efficiency
from deabench.dea.streaming.rank import FilesRanking as FilesRanking
from deabench.dea.streaming.rank import rank_files as rank_files
from deabench.dea.targets import Targets as Targets
from deabench.dea.targets import targets as targets
from deabench.dea.uncertainty.estimate import uncertainty as uncertainty
from deabench.dea.uncertainty.firms import FirmsBootstrap as FirmsBootstrap
from deabench.dea.uncertainty.firms import simar_wilson as simar_wilson
from deabench.dea.uncertainty.gate import Gate as Gate
from deabench.dea.uncertainty.gate import gate as gate
from deabench.dea.uncertainty.radius import Stability as Stability
from deabench.dea.uncertainty.radius import stability as stability
from deabench.dea.uncertainty.ranksets import ConformalRanks as ConformalRanks
from deabench.dea.uncertainty.ranksets import RankSets as RankSets
from deabench.dea.uncertainty.ranksets import conformal_ranks as conformal_ranks
from deabench.dea.uncertainty.ranksets import rank_sets as rank_sets
from deabench.dea.uncertainty.result import Uncertainty as Uncertainty
from deabench.dea.uncertainty.samples import Samples as Samples
from deabench.errors import CertificateError as CertificateError
from deabench.errors import DataError as DataError
from deabench.errors import DataWarning as DataWarning
from deabench.errors import DeabenchError as DeabenchError
from deabench.errors import SolveError as SolveError
from deabench.reports import Report as Report
from deabench.reports import report as report
from deabench.reports.explore import explore as explore
from deabench.reproduction import Reproduction as Reproduction
from deabench.reproduction import reproduce as reproduce
from deabench.study import Study as Study
from deabench.tables.reading import Reading as Reading
from deabench.tables.reading import read as read

__all__ = [
    "Advice",
    "ByDataset",
    "CertificateError",
    "ConformalRanks",
    "DataError",
    "DataWarning",
    "DeabenchError",
    "FilesRanking",
    "FirmsBootstrap",
    "Frontier",
    "Gate",
    "Groups",
    "Layers",
    "Malmquist",
    "Partial",
    "RankSets",
    "Ranking",
    "Reading",
    "Report",
    "Reproduction",
    "Samples",
    "ScaleEfficiency",
    "SolveError",
    "Stability",
    "Study",
    "Targets",
    "Uncertainty",
    "__version__",
    "advise",
    "best",
    "by_dataset",
    "certify",
    "compare",
    "conformal_ranks",
    "curves",
    "datasets",
    "explore",
    "frontier",
    "gate",
    "groups",
    "layers",
    "malmquist",
    "metrics",
    "models",
    "order_alpha",
    "order_m",
    "plot",
    "rank",
    "rank_files",
    "rank_sets",
    "read",
    "report",
    "reproduce",
    "scale_efficiency",
    "simar_wilson",
    "stability",
    "tango",
    "targets",
    "uncertainty",
]

__version__: str
