"""Data files that ship with Lamplight: icons, themes, translations, the tokenizer, the demo notes."""
