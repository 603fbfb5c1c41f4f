"""Make samples: metrics of classifiers with the errors that their test data leave."""

from deabench.inference.samples.combinations import select_columns as select_columns
from deabench.inference.samples.sample_set import Samples as Samples
