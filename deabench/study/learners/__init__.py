"""Who competes: the classifiers by name, how each is built, and the pieces that no library has."""
