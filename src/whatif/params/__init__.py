"""The typed view of `params.yaml`, and its mistakes as lines for people."""
