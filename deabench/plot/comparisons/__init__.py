"""Pictures of comparisons: over classifiers, groups of data sets, kinds of data."""
