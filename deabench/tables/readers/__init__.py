"""Read each kind of source as a frame of raw cells with what the source itself says of its columns."""
