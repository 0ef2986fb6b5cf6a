"""Models that run on this machine, from checkpoints of the Hugging Face libraries."""
