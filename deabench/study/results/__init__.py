"""Results of a study: the store, its status, results from elsewhere, and the tables of a summary."""
