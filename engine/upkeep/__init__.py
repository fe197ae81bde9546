"""What keeps the house in order beside the journeys: power, keychain, models, history, diagnostics. No SQL, no Qt."""
