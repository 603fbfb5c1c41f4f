import deabench_models as models
from deabench import compare as compare
from deabench import curves as curves
from deabench import datasets as datasets
from deabench import metrics as metrics
from deabench import plot as plot
from deabench import tango as tango
from deabench.dea.advice import Advice as Advice
from deabench.dea.advice import advise as advise
from deabench.dea.certify import certify as certify
from deabench.dea.contexts import Groups as Groups
from deabench.dea.contexts import Layers as Layers
from deabench.dea.contexts import Malmquist as Malmquist
from deabench.dea.contexts import groups as groups
from deabench.dea.contexts import layers as layers
from deabench.dea.contexts import malmquist as malmquist
from deabench.dea.frontier import Frontier as Frontier
from deabench.dea.frontier import frontier as frontier
from deabench.dea.partial import Partial as Partial
from deabench.dea.partial import order_alpha as order_alpha
from deabench.dea.partial import order_m as order_m
from deabench.dea.ranking import Ranking as Ranking
from deabench.dea.ranking import rank as rank
from deabench.dea.scale import ScaleEfficiency as ScaleEfficiency
from deabench.dea.scale import scale_efficiency as scale_efficiency
from deabench.dea.targets import Targets as Targets
from deabench.dea.targets import targets as targets
from deabench.errors import CertificateError as CertificateError
from deabench.errors import DataError as DataError
from deabench.errors import DataWarning as DataWarning
from deabench.errors import DeabenchError as DeabenchError
from deabench.errors import SolveError as SolveError
from deabench.reports import Report as Report
from deabench.reports import report as report
from deabench.reproduction import Reproduction as Reproduction
from deabench.reproduction import reproduce as reproduce
from deabench.study import Study as Study

__all__ = [
    "Advice",
    "CertificateError",
    "DataError",
    "DataWarning",
    "DeabenchError",
    "Frontier",
    "Groups",
    "Layers",
    "Malmquist",
    "Partial",
    "Ranking",
    "Report",
    "Reproduction",
    "ScaleEfficiency",
    "SolveError",
    "Study",
    "Targets",
    "__version__",
    "advise",
    "certify",
    "compare",
    "curves",
    "datasets",
    "frontier",
    "groups",
    "layers",
    "malmquist",
    "metrics",
    "models",
    "order_alpha",
    "order_m",
    "plot",
    "rank",
    "report",
    "reproduce",
    "scale_efficiency",
    "tango",
    "targets",
]

__version__: str
