"""How long views stand still when the driver that keeps them is killed."""
