"""Say which classifiers are dominated: by learned mixes, exactly, or at any time."""
