"""What a fresh process costs: until its session is there, its first barrier, its first twenty."""
