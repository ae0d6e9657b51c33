"""The statements of a pipeline, as it keeps them."""
