"""Geometry of frontiers: dominance, facets, faces, walks and nearest points."""
