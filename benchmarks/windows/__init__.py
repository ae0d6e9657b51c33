"""How long a barrier takes, beside a micro-batch of Spark's own stateful streaming."""
