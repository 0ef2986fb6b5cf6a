"""Fine-tuning of vision-language models on questions with their correct answers."""
