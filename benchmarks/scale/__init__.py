"""What a barrier costs with many partitions and many views."""
