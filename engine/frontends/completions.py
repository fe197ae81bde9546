"""Completion scripts for shells, made from the parser itself, so that they never lag behind it."""

from __future__ import annotations

import argparse
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Command:
    path: tuple[str, ...]
    """``graph``, ``path``: the words before its options."""
    help: str
    options: tuple[str, ...]
    words: tuple[str, ...]
    """Commands below it, and values that an argument may take."""


def commands_of(parser: argparse.ArgumentParser, path: tuple[str, ...] = (), text: str = "") -> list[Command]:
    """The parser and all below it, in the order in which help lists them."""
    options: list[str] = []
    words: list[str] = []
    below: list[Command] = []
    for action in parser._actions:
        options += [option for option in action.option_strings if option.startswith("--")]
        if isinstance(action, argparse._SubParsersAction):
            helps = {choice.dest: choice.help or "" for choice in action._choices_actions}
            words += list(action.choices)
            for name, child in action.choices.items():
                below += commands_of(child, (*path, name), helps.get(name, ""))
        elif action.choices and not action.option_strings:
            words += [str(choice) for choice in action.choices]
    return [Command(path, text, tuple(options), tuple(words)), *below]


def script(parser: argparse.ArgumentParser, shell: str) -> str:
    makers = {"bash": _bash, "zsh": _zsh, "fish": _fish}
    return makers[shell](commands_of(parser))


def _cases(commands: list[Command]) -> str:
    """Branches of a shell's ``case``: the words typed so far -> what may follow."""
    return "\n".join(
        f"    '{' '.join(command.path)}') words='{' '.join((*command.words, *command.options))}' ;;"
        for command in commands
    )


_SHARED = """  local typed='' word words=''
  for word in "${before[@]}"; do
    case "$word" in -*) continue ;; esac
    case " __PATHS__ " in *" ${typed:+$typed/}$word "*) typed="${typed:+$typed/}$word" ;; esac
  done
  case "${typed//\\// }" in
__CASES__
  esac"""


def _shared(commands: list[Command]) -> str:
    paths = " ".join("/".join(command.path) for command in commands if command.path)
    return _SHARED.replace("__PATHS__", paths).replace("__CASES__", _cases(commands))


def _bash(commands: list[Command]) -> str:
    return f"""# lamplight completions bash >> ~/.bashrc
_lamplight() {{
  local before=("${{COMP_WORDS[@]:1:COMP_CWORD-1}}")
{_shared(commands)}
  COMPREPLY=($(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}"))
  [ -z "${{COMPREPLY[*]}}" ] && COMPREPLY=($(compgen -f -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}
complete -o filenames -F _lamplight lamplight"""


def _zsh(commands: list[Command]) -> str:
    return f"""#compdef lamplight
# lamplight completions zsh > ~/.zfunc/_lamplight
_lamplight() {{
  local -a before
  before=("${{(@)words[2,CURRENT-1]}}")
  () {{
{_shared(commands)}
    compadd -- ${{=words}} || _files
  }}
}}
compdef _lamplight lamplight"""


def _fish(commands: list[Command]) -> str:
    lines = ["# lamplight completions fish > ~/.config/fish/completions/lamplight.fish", "complete -c lamplight -f"]
    for command in commands:
        if not command.path:
            continue
        *before, name = command.path
        seen = " ".join(f"; and __fish_seen_subcommand_from {word}" for word in before).removeprefix("; and ")
        condition = seen or "__fish_use_subcommand"
        text = command.help.replace("\\", "\\\\").replace("'", "\\'")
        lines.append(f"complete -c lamplight -n '{condition}' -a {name} -d '{text}'")
        inside = "; and ".join(f"__fish_seen_subcommand_from {word}" for word in command.path)
        lines += [f"complete -c lamplight -n '{inside}' -l {option[2:]}" for option in command.options]
    return "\n".join(lines)
