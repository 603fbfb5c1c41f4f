import deabench_models as models
from deabench import compare as compare
from deabench import curves as curves
from deabench import datasets as datasets
from deabench import metrics as metrics
from deabench import plot as plot
from deabench import tango as tango
from deabench.dea.best import best as best
from deabench.dea.certify import certify as certify
from deabench.dea.frontier import Frontier as Frontier
from deabench.dea.frontier import frontier as frontier
from deabench.dea.ranking import Ranking as Ranking
from deabench.dea.ranking import rank as rank
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
from deabench.tables.reading import Reading as Reading
from deabench.tables.reading import read as read

__all__ = [
    "CertificateError",
    "DataError",
    "DataWarning",
    "DeabenchError",
    "Frontier",
    "Ranking",
    "Reading",
    "Report",
    "Reproduction",
    "SolveError",
    "Study",
    "Targets",
    "__version__",
    "best",
    "certify",
    "compare",
    "curves",
    "datasets",
    "frontier",
    "metrics",
    "models",
    "plot",
    "rank",
    "read",
    "report",
    "reproduce",
    "tango",
    "targets",
]

__version__: str
