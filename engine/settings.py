"""Typed settings, each declared once with its default, limits and the words shown to the person.

On disk they are a TOML file; comments and order that the person gave it are kept.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from engine.errors import BadRequest, from_system, system_words
from engine.files import read_ordinary
from engine.paths import Home, write_atomically

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

SERVICES = "services"
"""Section of the switches of network services. The words of each say what leaves the machine."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """What a setting is, for the settings dialog, the file and the checks."""

    section: str
    text: str
    help: str = ""
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()


def _setting(default: Any, section: str, text: str, **more: Any) -> Any:
    return field(default=default, metadata={"declaration": Declaration(section, text, **more)})


@dataclass(frozen=True, slots=True)
class Settings:
    results: int = _setting(20, "search", "Results shown at first", low=5, high=200)
    fusion: str = _setting("auto", "search", "How the two rankings are joined", choices=("auto", "rrf"))
    typing_pause_ms: int = _setting(180, "search", "Pause before searching by meaning (ms)", low=0, high=2000)
    refresh_seconds: int = _setting(
        5,
        "search",
        "Longest wait for Roam before a search (s)",
        help="A graph that cannot be refreshed within it is searched as it was read last.",
        low=1,
        high=60,
    )
    threads: int = _setting(0, "indexing", "Threads for the embedding model (0 = choose)", low=0, high=64)
    brake_fraction: float = _setting(
        0.33, "indexing", "Ask before removing more than this part of a source at once", low=0.05, high=1.0
    )
    ollama_port: int = _setting(
        11434,
        "indexing",
        "Port of Ollama on this machine",
        help="For sources whose model is one of Ollama's.",
        low=1,
        high=65535,
    )
    on_battery: str = _setting(
        "reduce",
        "indexing",
        "Indexing by itself while on battery",
        help="Less often: changed notes are gathered and indexed every ten minutes. What you ask for yourself always "
        "runs.",
        choices=("reduce", "always", "pause"),
    )
    only_when_idle: bool = _setting(
        False,
        "indexing",
        "Index by itself only while nobody uses the machine",
        help="It begins when keyboard and mouse have rested for a minute, and pauses when you come back.",
    )
    protection: str = _setting(
        "keychain",
        "privacy",
        "How new index files are protected",
        help="By a key in the system's keychain, by a passphrase, by a key that lasts until Lamplight ends, or not at "
        "all. “lamplight protect” changes the files that are there.",
        choices=("keychain", "passphrase", "plain", "session"),
    )
    model_download: bool = _setting(
        False,
        SERVICES,
        "Model download",
        help="The name and version of the model you chose, and your network address, reach the server that offers the "
        "model. No note text leaves this machine.",
    )
    roam_cloud: bool = _setting(
        False,
        SERVICES,
        "Roam cloud",
        help="The name of your graph, your graph token and read queries go to Roam's servers, which send the whole "
        "graph back. Roam can see when you do this and from which network address. Nothing is written to the graph.",
    )
    openrouter: bool = _setting(
        False,
        SERVICES,
        "OpenRouter",
        help="The text of the notes you choose to work on, and your questions about them, go to OpenRouter and from "
        "there to the maker of the model you picked. They may keep them.",
    )
    update_check: bool = _setting(
        False,
        SERVICES,
        "Check for updates",
        help="The version of Lamplight you run and your network address reach the project's page. No note text leaves "
        "this machine.",
    )
    quick_keys: str = _setting(
        "",
        "keyboard",
        "Keys that show quick search from anywhere",
        help="For example Ctrl+Alt+Space. Where the system allows none, bind the command “lamplight quick” in its own "
        "settings.",
    )
    close_to_tray: str = _setting("ask", "appearance", "When the window is closed", choices=("ask", "tray", "quit"))
    theme: str = _setting("system", "appearance", "Colours", choices=("system", "light", "dark"))
    language: str = _setting("system", "appearance", "Language", choices=("system", "en", "de"))


def services(settings: Settings) -> dict[str, bool]:
    """Each network service and whether the owner has switched it on; every one starts off."""
    declared = declarations().items()
    return {name.replace("_", "-"): getattr(settings, name) for name, d in declared if d.section == SERVICES}


def with_service(settings: Settings, service: str, *, on: bool) -> Settings:
    """The settings with one service switched. Raises ``BadRequest`` naming the services there are."""
    known = services(settings)
    if service not in known:
        raise BadRequest(f"There is no service '{service}'.", f"There are: {', '.join(known)}.")
    return dataclasses.replace(settings, **cast(Any, {service.replace("-", "_"): on}))


def declarations() -> dict[str, Declaration]:
    return {f.name: cast(Declaration, f.metadata["declaration"]) for f in dataclasses.fields(Settings)}


def check(name: str, value: object) -> str:
    """The reason why ``value`` is not allowed for setting ``name``, or an empty string."""
    fields = {f.name: f for f in dataclasses.fields(Settings)}
    if name not in fields:
        import difflib  # Only for the person's mistakes.

        near = difflib.get_close_matches(name, fields, n=1)
        return f"there is no setting '{name}'" + (f"; did you mean '{near[0]}'?" if near else "")
    wanted = type(fields[name].default)
    declaration = declarations()[name]
    if wanted is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if type(value) is not wanted:
        return f"'{name}' takes {_kind(wanted)}, not {value!r}"
    if declaration.choices and value not in declaration.choices:
        return f"'{name}' takes one of {', '.join(declaration.choices)}, not {value!r}"
    if isinstance(value, int | float) and not isinstance(value, bool):
        if declaration.low is not None and value < declaration.low:
            return f"'{name}' is at least {declaration.low:g}, not {value!r}"
        if declaration.high is not None and value > declaration.high:
            return f"'{name}' is at most {declaration.high:g}, not {value!r}"
    return ""


def _kind(wanted: type) -> str:
    return {bool: "true or false", int: "a whole number", float: "a number", str: "text"}[wanted]


def load(home: Home) -> tuple[Settings, tuple[str, ...]]:
    """The settings on disk and notices about lines that were not understood (their defaults are used)."""
    try:
        text = read_ordinary(home.settings_file).decode()
    except FileNotFoundError:
        return Settings(), ()
    except OSError as error:
        return Settings(), (f"{from_system(error, home.settings_file)} Until then the defaults are used.",)
    except UnicodeDecodeError:
        return Settings(), (f"{home.settings_file} is not UTF-8 text; defaults are used. Correct or remove it.",)
    import tomllib  # Not where there are no settings yet: it takes a hundredth of the window's start.

    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        is_plain = isinstance(error, tomllib.TOMLDecodeError)
        why = str(error)[:200] if is_plain else "nested too deep, or a number too long"
        notice = f"{home.settings_file} is not valid TOML ({why}); defaults are used. Correct or remove it."
        return Settings(), (notice,)
    values: dict[str, object] = {}
    notices: list[str] = []
    for section, content in document.items():
        for name, value in content.items() if isinstance(content, dict) else [(section, content)]:
            reason = check(name, value)
            if reason:
                notices.append(f"Settings: {reason}. The default is used.")
            else:
                values[name] = float(value) if isinstance(getattr(Settings(), name), float) else value
    return dataclasses.replace(Settings(), **cast(Any, values)), tuple(notices)


def save(home: Home, settings: Settings) -> None:
    """Write the settings that differ from the defaults, keeping what else the file holds.

    A file that makes no sense is put aside; one that may not be read is left as it is. Raises an ``EngineError``.
    """
    # Loaded here: it takes as long as a tenth of the window's start, which only reads.
    import tomlkit

    document = _document(home)
    default = Settings()
    for name, declaration in declarations().items():
        value = getattr(settings, name)
        table = document.get(declaration.section)
        if table is not None and not isinstance(table, dict):
            del document[declaration.section]
            table = None
        if value != getattr(default, name):
            if table is None:
                table = document[declaration.section] = tomlkit.table()
            table[name] = value
        elif table is not None and name in table:
            del table[name]
    write_atomically(home.settings_file, tomlkit.dumps(document).encode())


def _document(home: Home) -> TOMLDocument:
    """The file as it stands, to be changed with its comments; a new one where it makes no sense."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        with system_words(home.settings_file):
            text = read_ordinary(home.settings_file).decode() if home.settings_file.exists() else ""
        return tomlkit.parse(text)
    except (ValueError, TOMLKitError, RecursionError):
        home.settings_file.replace(home.settings_file.with_suffix(".damaged"))
        return tomlkit.document()
