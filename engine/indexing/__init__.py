"""Journey 1: source -> notes -> passages -> vectors and postings, incremental and resumable. No SQL, no Qt."""
