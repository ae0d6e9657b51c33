"""Nexmark: an auction site's events and the questions asked of them (Tucker et al., 2002)."""
