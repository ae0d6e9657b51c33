"""How old a row of the sink is: from the send to Kafka to the row in Postgres.

``load`` sends changes at a steady rate and says when each was sent, ``watch`` polls the target and
says when each was seen, ``jobs`` has the two jobs that are measured, ``__main__`` runs them side by
side. A source is a class with the methods of ``load.KafkaLoad``: another one (a COMMIT in Postgres)
takes its place in ``__main__.SOURCES``.
"""
