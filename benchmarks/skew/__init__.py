"""A top-N over all rows, with one stage and with two."""
