"""Results of a study: the store, its status and maintenance, the tables of a summary."""
