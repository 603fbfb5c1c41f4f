"""What came out: the store, how far it is, results from elsewhere, and the tables made of them."""
