"""Incremental views beside Flink's SQL and Pathway: the same events, the same two cores.

``data`` writes Nexmark-like events as lines of JSON, which all of them read, with times as
microseconds; ``inputs`` says where they are, in files or in topics of one Kafka broker;
``queries`` has the questions, in one SQL for Spark and Flink and as Pathway's expressions;
``ours``, ``flink`` and ``pathway_engine`` each are a process of their own (the last two in virtual
environments of their own) that runs a query small and then whole, reads the same events into
nothing, and says what that took; ``dbsp_engine`` runs the program of ``dbsp/``, which reads files;
``__main__`` compares the small answers row by row, then the times.
"""
