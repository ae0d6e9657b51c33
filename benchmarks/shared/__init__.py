"""What benchmarks of whole queries have in common.

``session`` makes the Spark session of a process that measures, ``process`` runs such a process,
``page`` says where a run was made, prints its report and writes it down.
"""
