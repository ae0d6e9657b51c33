"""One micro-batch: what a barrier does, in order.

Spark calls :mod:`barrier`, which lets :mod:`runner` run the dataflow, publishes the epoch,
delivers it (:mod:`delivery`) and has old ones retired: :mod:`retention` decides which,
:mod:`retiring` does it beside later barriers. :mod:`refreshing` computes views anew where that is
cheaper.
"""
