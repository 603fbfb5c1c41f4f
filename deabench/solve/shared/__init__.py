"""The fast path: one family of programs per table, and bases that are shared between its DMUs."""
