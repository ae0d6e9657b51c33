"""One micro-batch: what a barrier does, in order.

Spark calls :mod:`barrier`, which lets :mod:`runner` run the dataflow, publishes the epoch,
delivers it (:mod:`delivery`) and retires old ones (:mod:`retention`). :mod:`refreshing` computes
views anew where that is cheaper.
"""
