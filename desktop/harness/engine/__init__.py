"""The engine: delivers what is due, over ports. It knows no adapter and no screen."""
