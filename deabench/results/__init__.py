"""Results as data."""
