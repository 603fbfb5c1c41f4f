from deabench.study.study import Study as Study
from deabench.study.study import package_versions as package_versions
