"""What several models share: programs, their proofs, and the data that they are solved with."""
