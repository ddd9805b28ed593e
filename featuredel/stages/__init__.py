"""acquire, environment, baseline, discover -> delete, validate, describe, score -> write."""
