"""Pictures of a ranking."""
