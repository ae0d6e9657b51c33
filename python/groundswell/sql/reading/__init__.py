"""Where the rows of tables and views are, and their changes."""
