"""What a checkpoint costs on slow storage, of the state store and of views."""
