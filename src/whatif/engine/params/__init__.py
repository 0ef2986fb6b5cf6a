"""The typed settings of `params.yaml`, and readable messages about mistakes in it."""
