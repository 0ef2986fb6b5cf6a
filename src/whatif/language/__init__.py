"""Words: parts of speech, WordNet, numbers, the printed form of options, and prompting strategies."""
