"""One file per kind of source; each turns it into a frame of cells as they stand, and says what it
knows of the columns.
"""
