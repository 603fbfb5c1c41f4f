"""How the tasks are done: one task, its limits, processes on this machine, a cluster, a forecast."""
