"""How long tasks of barriers wait for their source."""
