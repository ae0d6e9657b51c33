"""Views and indexes, read at an epoch by this process or another one.

Every read names an epoch; it keeps a pin or a lease on it for as long as it lasts.
"""
