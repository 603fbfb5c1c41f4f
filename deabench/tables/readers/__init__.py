"""Read each kind of source as a frame of raw cells with the roles that it states."""
