"""shim"""


def detect_language(text: str) -> str:
    return "en"
