from collections.abc import MutableMapping
from typing import Literal

from deabench.models.additive import BAM as BAM
from deabench.models.additive import RAM as RAM
from deabench.models.additive import Additive as Additive
from deabench.models.ccr import CCR as CCR
from deabench.models.common_weights import Common as Common
from deabench.models.cross import Cross as Cross
from deabench.models.directional import DDF as DDF
from deabench.models.directional import RDM as RDM
from deabench.models.fdh import FDH as FDH
from deabench.models.holder import Holder as Holder
from deabench.models.russell import Russell as Russell
from deabench.models.sbm import SBM as SBM
from deabench.models.super_sbm import SuperSBM as SuperSBM
from deabench.models.superefficiency import Super as Super
from deabench.models.wei import WEI as WEI
from deabench.models.wei import Score as Score
from deabench.results.model import Model as Model

ModelName = Literal[
    "wei",
    "score",
    "ccr",
    "fdh",
    "super",
    "sbm",
    "super-sbm",
    "russell",
    "additive",
    "ram",
    "bam",
    "ddf",
    "rdm",
    "holder",
    "cross",
    "common",
]
MODELS: MutableMapping[str, type[Model]]
MODEL_HINTS: dict[str, str]
