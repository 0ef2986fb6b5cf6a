"""Text processing: parts of speech, WordNet, numbers, printed options, and prompting strategies."""
