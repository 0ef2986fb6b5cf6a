"""What runs in the sandbox: standard library only, without the rest of the project."""
