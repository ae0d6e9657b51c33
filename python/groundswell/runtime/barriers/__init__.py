"""One micro-batch: what a barrier does, in order.

Spark calls :mod:`barrier`, which lets :mod:`runner` run the dataflow. :mod:`publishing` publishes
the epoch, delivers it (:mod:`delivery`) and has old ones retired: :mod:`retention` decides which,
:mod:`retiring` does it beside later barriers. Where checkpoints overlap, :mod:`overlap` has all
that done while later barriers are computed, by :mod:`in_flight`. :mod:`refreshing` computes views
anew where that is cheaper.
"""
