"""What it costs to give the states of a pipeline another number of partitions."""
