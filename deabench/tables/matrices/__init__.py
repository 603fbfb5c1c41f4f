"""Tables of one metric: data sets x systems, and folds x systems."""
