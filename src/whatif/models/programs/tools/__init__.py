"""What programs may call: tools that know what a drawn image shows, and tools that look at its pixels."""
