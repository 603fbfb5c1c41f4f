from deabench.study.running.run import package_versions as package_versions
from deabench.study.study import Study as Study
