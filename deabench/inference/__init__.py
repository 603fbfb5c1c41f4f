"""How sure is that: samples in, intervals, verdicts and rank sets of efficiencies out."""
