"""What statements define: tables, views, sinks, functions and options."""
