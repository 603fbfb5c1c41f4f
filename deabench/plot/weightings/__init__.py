"""Pictures of weightings: rank intervals, winning regions, and who always beats whom."""
