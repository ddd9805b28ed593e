"""acquire, environment, baseline, discover -> delete, narrow, validate, describe, score -> write."""
