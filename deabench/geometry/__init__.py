"""Faces of a frontier and the points of it that are closest."""
