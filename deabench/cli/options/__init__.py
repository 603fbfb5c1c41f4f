"""The options of the verbs: declared once, parsed, and grouped by subject."""
