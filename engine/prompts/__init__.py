"""Prompts for language models, each with a version."""
