from deabench import compare as compare
from deabench import curves as curves
from deabench import datasets as datasets
from deabench import metrics as metrics
from deabench import models as models
from deabench import plot as plot
from deabench import tango as tango
from deabench.analysis.advise import Advice as Advice
from deabench.analysis.advise import advise as advise
from deabench.analysis.budget import best as best
from deabench.analysis.by_dataset import ByDataset as ByDataset
from deabench.analysis.by_dataset import by_dataset as by_dataset
from deabench.analysis.frontier import frontier as frontier
from deabench.analysis.layers import Layers as Layers
from deabench.analysis.layers import layers as layers
from deabench.analysis.malmquist import Malmquist as Malmquist
from deabench.analysis.malmquist import malmquist as malmquist
from deabench.analysis.metafrontier import Groups as Groups
from deabench.analysis.metafrontier import groups as groups
from deabench.analysis.partial_frontiers import Partial as Partial
from deabench.analysis.partial_frontiers import order_alpha as order_alpha
from deabench.analysis.partial_frontiers import order_m as order_m
from deabench.analysis.ranking import rank as rank
from deabench.analysis.reproduction import Reproduction as Reproduction
from deabench.analysis.reproduction import reproduce as reproduce
from deabench.analysis.scale import ScaleEfficiency as ScaleEfficiency
from deabench.analysis.scale import scale_efficiency as scale_efficiency
from deabench.analysis.stability import Stability as Stability
from deabench.analysis.stability import stability as stability
from deabench.analysis.targets import targets as targets
from deabench.analysis.weightings.analysis import weightings as weightings
from deabench.analysis.weightings.over_datasets import WeightingsByDataset as WeightingsByDataset
from deabench.analysis.weightings.over_datasets import (
    weightings_by_dataset as weightings_by_dataset,
)
from deabench.errors import CertificateError as CertificateError
from deabench.errors import DataError as DataError
from deabench.errors import DataWarning as DataWarning
from deabench.errors import DeabenchError as DeabenchError
from deabench.errors import SolveError as SolveError
from deabench.errors import TimeLimitError as TimeLimitError
from deabench.inference.decisions.anytime import Anytime as Anytime
from deabench.inference.decisions.anytime import AnytimeVerdicts as AnytimeVerdicts
from deabench.inference.decisions.anytime import NextRound as NextRound
from deabench.inference.decisions.planning import Plan as Plan
from deabench.inference.decisions.planning import plan as plan
from deabench.inference.decisions.release_gate import Gate as Gate
from deabench.inference.decisions.release_gate import gate as gate
from deabench.inference.rank_sets import ConformalRanks as ConformalRanks
from deabench.inference.rank_sets import RankSets as RankSets
from deabench.inference.rank_sets import conformal_ranks as conformal_ranks
from deabench.inference.rank_sets import rank_sets as rank_sets
from deabench.inference.samples import Samples as Samples
from deabench.inference.simar_wilson import FirmsBootstrap as FirmsBootstrap
from deabench.inference.simar_wilson import simar_wilson as simar_wilson
from deabench.inference.uncertainty import Uncertainty as Uncertainty
from deabench.inference.uncertainty import uncertainty as uncertainty
from deabench.integrations.choice import Choice as Choice
from deabench.integrations.cost_stack import CostComparison as CostComparison
from deabench.integrations.cost_stack import CostStack as CostStack
from deabench.integrations.mixture import Mixture as Mixture
from deabench.integrations.mixture import Routing as Routing
from deabench.integrations.router import Router as Router
from deabench.integrations.search import Refit as Refit
from deabench.integrations.search import refit as refit
from deabench.integrations.trials import pick as pick
from deabench.proofs.certify import certify as certify
from deabench.report import Report as Report
from deabench.report.build import report as report
from deabench.report.notebook_widget import explore as explore
from deabench.results.frontier import Frontier as Frontier
from deabench.results.ranking import Ranking as Ranking
from deabench.results.targets import Targets as Targets
from deabench.results.weightings import Weightings as Weightings
from deabench.streaming.rank_files import FilesRanking as FilesRanking
from deabench.streaming.rank_files import rank_files as rank_files
from deabench.study.recommend import Recommendation as Recommendation
from deabench.study.recommend import recommend as recommend
from deabench.study.study import Study as Study
from deabench.tables.read import read as read
from deabench.tables.table import Table as Table
from deabench.tables.table import TableLike as TableLike
from deabench.utils.progress import time_limit as time_limit

__all__ = [
    "Advice",
    "Anytime",
    "AnytimeVerdicts",
    "ByDataset",
    "CertificateError",
    "Choice",
    "ConformalRanks",
    "CostComparison",
    "CostStack",
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
    "Mixture",
    "NextRound",
    "Partial",
    "Plan",
    "RankSets",
    "Ranking",
    "Recommendation",
    "Refit",
    "Report",
    "Reproduction",
    "Router",
    "Routing",
    "Samples",
    "ScaleEfficiency",
    "SolveError",
    "Stability",
    "Study",
    "Table",
    "TableLike",
    "Targets",
    "TimeLimitError",
    "Uncertainty",
    "Weightings",
    "WeightingsByDataset",
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
    "pick",
    "plan",
    "plot",
    "rank",
    "rank_files",
    "rank_sets",
    "read",
    "recommend",
    "refit",
    "report",
    "reproduce",
    "scale_efficiency",
    "simar_wilson",
    "stability",
    "tango",
    "targets",
    "time_limit",
    "uncertainty",
    "weightings",
    "weightings_by_dataset",
]

__version__: str
