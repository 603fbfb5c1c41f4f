"""Pictures of a frontier, of its facets, and of targets on it."""
