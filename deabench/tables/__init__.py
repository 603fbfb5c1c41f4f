"""Read tables of any kind, decide what their columns measure, and validate them for DEA."""
