"""Where a barrier's time goes: reading alone, threads, and shares of samples."""
