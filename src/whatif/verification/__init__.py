"""What people, or checks that need none, say about what was made: tasks out, judgements in, one decision each."""
