"""Jobs of a robot: path check, free angle of a symmetric tool, milling, RAPID targets."""
