"""Running the tasks of a study: one task, its limits, processes on this machine, a cluster."""
