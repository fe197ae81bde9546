#!/usr/bin/env python3
"""Tries the Debian package as a person would, on a Debian that has never seen Lamplight, and removes it again.

    sudo python3 packaging/linux/try_deb.py dist/lamplight_VERSION_ARCH.deb [--suite bookworm] [--mirror URL]

Two fresh roots are made below build/clean-root with debootstrap (the first time this takes some minutes):

- a bare one: apt installs the package with its dependencies and nothing else, every library in it finds those it is
  linked to, and it is purged;
- one with a small desktop (X server, window manager, panel with a tray, keychain), cut off from the network:
  Lamplight is started by a click on its icon, gets a vault that is dropped on the icon, answers a ``lamplight://``
  link, searches, encrypts, hides in the tray, starts at login, quits, and is purged.

After each, every file of the root is compared with how it was before the installation. Whatever is left outside the
person's home makes this fail. Pictures of each step go to build/clean-root/pictures, to be looked at.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

sys.path.insert(0, str(Path(__file__).resolve().parent))
import clean_root
from clean_root import DISPLAY, HOME, PERSON, RUNTIME, Failed, as_person, as_root, differences, expect, listing, start

PLACE = Path(__file__).resolve().parents[2] / "build" / "clean-root"
PICTURES = PLACE / "pictures"
WIDTH, HEIGHT, PANEL = 1280, 800, 40

DESKTOP = (
    "xvfb openbox tint2 xdotool xclip scrot dex xdg-utils libgtk-3-bin libglib2.0-bin desktop-file-utils "
    "shared-mime-info dbus gnome-keyring fonts-dejavu-core hicolor-icon-theme adwaita-icon-theme"
)
"""What a desktop brings. Not among it: Python, Qt, or anything that Lamplight depends on for its own sake."""

TINT2 = f"""panel_items = LS
panel_monitor = all
panel_position = bottom center horizontal
panel_size = 100% {PANEL}
panel_layer = top
strut_policy = follow_size
launcher_icon_size = 32
launcher_icon_theme = hicolor
launcher_item_app = /usr/share/applications/lamplight.desktop
systray_icon_size = 24
"""

VAULT = "My Notes"
NOTES = {
    "Bienen im März.md": "# Swarm\n\nA brown beard of insects hung in the pear tree until evening.\n",
    "Bread.md": "# Rye starter\n\nFed at noon, doubled by four. [[Bienen im März]]\n",
    ".obsidian/app.json": "{}",
}
QUESTION, ANSWER, SECRET = "colony of bees", "Bienen im März", b"brown beard"

# apt and dpkg write down what they did, and their triggers rebuild caches; none of it is Lamplight's own.
BOOKS = ("var/lib/apt", "var/lib/dpkg", "var/cache/apt", "var/cache/debconf", "var/log")
CACHES = ("etc/ld.so.cache", "var/cache/ldconfig", "var/cache/fontconfig", "usr/share/icons/hicolor/icon-theme.cache")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("package", type=Path)
    parser.add_argument("--suite", default="bookworm")
    parser.add_argument("--mirror", default="", help="where packages come from; debootstrap knows its own")
    parser.add_argument("--part", choices=["bare", "desktop", "session"], help="only this; session is for itself")
    options = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("This makes a root of its own and enters it, which only root may do: start it with sudo.")
    try:
        if options.part == "session":
            session()
        else:
            in_namespace(options)
    except Failed as reason:
        sys.exit(f"failed: {reason}")


def in_namespace(options: argparse.Namespace) -> None:
    """Each part in a mount namespace of its own: what it mounts, and its processes, end with it."""
    if os.environ.get("LAMPLIGHT_NAMESPACE") == "1":
        (try_bare if options.part == "bare" else try_desktop)(options)
        return
    for part in [options.part] if options.part else ["bare", "desktop"]:
        command = ["unshare", "--mount", "--pid", "--fork", "--kill-child", sys.executable, *sys.argv, "--part", part]
        environment = {**os.environ, "LAMPLIGHT_NAMESPACE": "1"}
        expect(subprocess.run(command, env=environment, check=False).returncode == 0, f"see above ({part})")


# --- the bare root ------------------------------------------------------------------------------------------------


def try_bare(options: argparse.Namespace) -> None:
    say(f"A bare {options.suite}")
    base, root = PLACE / f"{options.suite}-bare", PLACE / "try"
    clean_root.bootstrap(base, options.suite, options.mirror, ())
    clean_root.copy(base, root)
    clean_root.mount(root)
    as_root(root, "apt-get update -q")
    before = listing(root)
    took = install(root, options.package)
    new = as_root(root, "dpkg-query -W -f '${binary:Package}\\n'").splitlines()
    say(f"  installed with its dependencies in {took:.0f} s; {len(new)} packages are on this system now")
    missing = unmet_libraries(root)
    expect(not missing, f"libraries that are not there: {missing}")
    say("  every program and library in it finds the libraries that it is linked to")
    print(as_person(root, "lamplight --version").strip(), flush=True)
    vault = make_vault(root)
    as_person(root, f"lamplight add {shlex.quote(vault)}")
    found = as_person(root, f"lamplight search {shlex.quote(QUESTION)}")
    expect(ANSWER in found, f"the note was not found:\n{found}")
    say("  added a vault and found a note by its meaning, in the terminal")
    purge_and_compare(root, before, BOOKS + CACHES)


def unmet_libraries(root: Path) -> list[str]:
    # As the program itself does, it has its libraries looked for in its own folder first.
    command = (
        "cd /usr/lib/lamplight && export LD_LIBRARY_PATH=$PWD/_internal && "
        "find . -type f -name '*.so*' -print0 | xargs -0 ldd 2>/dev/null | grep 'not found' | sort -u || true"
    )
    return [line.strip() for line in as_root(root, command).splitlines()]


# --- the root with a desktop --------------------------------------------------------------------------------------


def try_desktop(options: argparse.Namespace) -> None:
    say(f"A {options.suite} with a desktop")
    base, root = PLACE / f"{options.suite}-desktop", PLACE / "try"
    clean_root.bootstrap(base, options.suite, options.mirror, tuple(DESKTOP.split()))
    clean_root.copy(base, root)
    clean_root.mount(root)
    as_root(root, "apt-get update -q")
    before = listing(root)
    install(root, options.package)
    say("  installed")
    shutil.rmtree(PICTURES, ignore_errors=True)
    # The session has no network, and its processes end with it.
    command = ["unshare", "--net", "--pid", "--fork", "--kill-child", sys.executable, *sys.argv, "--part", "session"]
    code = subprocess.run(command, check=False).returncode
    expect(code == 0, "the session failed; see above and the pictures")
    purge_and_compare(root, before, (*BOOKS, *CACHES, "run/user", "tmp/.X11-unix", "tmp/.X96-lock"))


def session() -> None:
    root = PLACE / "try"
    runtime = root / RUNTIME
    runtime.mkdir(parents=True)
    runtime.chmod(0o700)
    as_root(root, f"chown {PERSON}:{PERSON} /{RUNTIME}")
    vault = make_vault(root)
    start_desktop(root)
    try:
        first_start(root)
        dropped_vault(root, vault)
        types(root)
        link(root)
        tray(root)
        second_starts(root)
        encrypted(root)
        start_at_login(root)
    except Failed:
        picture(root, "failed")
        raise


def start_desktop(root: Path) -> None:
    start(root, f"dbus-daemon --session --nofork --nopidfile --address={clean_root.BUS}")
    wait(lambda: (root / RUNTIME / "bus").exists(), "no session bus")
    as_person(root, "printf 'try\\n' | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1")
    start(root, f"Xvfb {DISPLAY} -screen 0 {WIDTH}x{HEIGHT}x24 -nolisten tcp")
    wait(lambda: as_person(root, "xdotool getdisplaygeometry 2>/dev/null || true"), "no X server")
    (root / HOME / "tint2rc").write_text(TINT2, "utf-8")
    start(root, "openbox")
    start(root, "tint2 -c tint2rc")
    wait(lambda: windows(root, "tint2"), "no panel")
    time.sleep(1)


def first_start(root: Path) -> None:
    begun = time.monotonic()
    click(root, 20, HEIGHT - PANEL // 2)
    wait(lambda: windows(root, "Lamplight"), "the icon in the panel starts nothing")
    say(f"  a click on the icon in the panel shows the window {time.monotonic() - begun:.1f} s later")
    wait(lambda: is_running(root), "the library was not opened")
    time.sleep(8)  # It looks around for vaults.
    picture(root, "1-first-start")


def dropped_vault(root: Path, vault: str) -> None:
    # As file managers and panels start an entry that something is dropped on: with its address for %U.
    as_person(root, f"gtk-launch lamplight {shlex.quote('file://' + quote(vault))} >/dev/null 2>&1")
    search = f"lamplight search --json {shlex.quote(QUESTION)}"
    wait(lambda: ANSWER in as_person(root, f"{search} || true"), "the dropped vault was not indexed")
    say("  a vault dropped on the icon is added, indexed and searched, without a network")
    picture(root, "2-vault-dropped")


def types(root: Path) -> None:
    handler = as_person(root, "xdg-mime query default x-scheme-handler/lamplight").strip()
    expect(handler == "lamplight.desktop", f"links are handled by '{handler}'")
    export = root / HOME / "export.edn"
    export.write_text("#datascript/DB {:schema {}, :datoms []}", "utf-8")
    kind = as_person(root, "gio info -a standard::content-type export.edn")
    expect("application/x-roam-export" in kind, f"a Roam export is taken for something else: {kind}")
    say("  links and Roam exports are known to belong to it")


def link(root: Path) -> None:
    as_person(root, f"xdg-open 'lamplight://search?q={quote(QUESTION)}' >/dev/null 2>&1")
    copied = ""

    def is_found() -> bool:
        nonlocal copied
        as_person(root, "xdotool key --clearmodifiers ctrl+shift+c")
        copied = as_person(root, "xclip -selection clipboard -o 2>/dev/null || true")
        return SECRET.decode() in copied

    wait(is_found, "the link found nothing")
    say("  xdg-open lamplight://search?q=… shows the result; its text can be copied from the window")
    picture(root, "3-link-opened")


def tray(root: Path) -> None:
    activate(root)
    as_person(root, "xdotool key --clearmodifiers alt+F4")
    wait(lambda: windows(root, "Close the window"), "closing does not ask what it means")
    time.sleep(0.5)
    picture(root, "4-asked-about-the-tray")
    as_person(root, "xdotool key Return")
    wait(lambda: not windows(root, "Lamplight"), "the window does not go")
    expect(is_running(root), "it ended instead of going to the tray")
    picture(root, "5-in-the-tray")
    click(root, 44, HEIGHT - PANEL // 2)
    wait(lambda: windows(root, "Quick search"), "a click on the tray's icon shows nothing")
    time.sleep(0.5)
    as_person(root, "xdotool type --delay 60 bees; sleep 2")
    picture(root, "6-quick-search-from-the-tray")
    as_person(root, "xdotool key Escape; sleep 0.5; xdotool key Escape")
    wait(lambda: not windows(root, "Quick search"), "quick search does not go")
    say("  the window hides in the tray, and the tray's icon shows quick search")
    quit_it(root)


def second_starts(root: Path) -> None:
    times = []
    for _ in range(3):
        begun = time.monotonic()
        as_person(root, "gtk-launch lamplight >/dev/null 2>&1")
        wait(lambda: windows(root, "Lamplight"), "it does not start again")
        times.append(time.monotonic() - begun)
        wait(lambda: is_running(root), "the library was not opened")
        quit_it(root)
    say(f"  started again from its menu entry: shown after {', '.join(f'{t:.2f} s' for t in times)}")


def encrypted(root: Path) -> None:
    files = list((root / HOME / ".local/share/lamplight").rglob("*.duckdb"))
    expect(files, "there is no index")
    expect(all(file.read_bytes()[20] & 1 for file in files), "an index is not encrypted")
    kept = [file for file in (root / HOME / ".local/share/lamplight").rglob("*") if file.is_file()]
    leaky = [file.name for file in kept if SECRET in file.read_bytes()]
    expect(not leaky, f"the text of a note can be read in {leaky}")
    say(f"  {len(files)} files of the index are encrypted, and none holds the text of a note")


def start_at_login(root: Path) -> None:
    entry = "/usr/share/doc/lamplight/examples/lamplight-autostart.desktop"
    as_person(root, f"mkdir -p .config/autostart && cp {entry} .config/autostart/")
    start(root, "dex --autostart --environment OPENBOX")
    wait(lambda: windows(root, "Lamplight"), "the autostart entry starts nothing")
    say("  the autostart entry starts it at login")
    picture(root, "7-started-at-login")
    quit_it(root)


# --- its parts ------------------------------------------------------------------------------------------------------


def install(root: Path, package: Path) -> float:
    shutil.copyfile(package, root / HOME / package.name)
    begun = time.monotonic()
    clean_root.install(root, (f"/{HOME}/{package.name}",))
    return time.monotonic() - begun


def make_vault(root: Path) -> str:
    vault = root / HOME / VAULT
    for name, text in NOTES.items():
        (vault / name).parent.mkdir(parents=True, exist_ok=True)
        (vault / name).write_text(text, "utf-8")
    as_root(root, f"chown -R {PERSON}:{PERSON} {shlex.quote(f'/{HOME}/{VAULT}')}")
    return f"/{HOME}/{VAULT}"


def purge_and_compare(root: Path, before: clean_root.Listing, but: tuple[str, ...]) -> None:
    as_root(root, "apt-get purge -y --autoremove lamplight")
    after = listing(root)
    left = differences(before, after, but=(HOME, *but))
    named = [path for path in after if "lamplight" in path.casefold() and not path.startswith(HOME)]
    expect(not left and not named, "left behind:\n  " + "\n  ".join((*left, *named)))
    expect("lamplight" not in as_root(root, "dpkg-query -W -f '${Package}\\n'"), "dpkg still lists it")
    kept = sorted(path for path in after if re.fullmatch(rf"{HOME}/\.(local/share|local/state|config)/lamplight", path))
    say(f"  purged: {len(after)} files compared, none is left outside {HOME}; the person's own stays: {kept}")


def windows(root: Path, name: str) -> list[str]:
    found = as_person(root, f"xdotool search --onlyvisible --name {shlex.quote(name)} 2>/dev/null || true")
    return found.split()


def processes(root: Path) -> list[int]:
    """Those of Lamplight, by the program that they run."""
    found = []
    for place in (root / "proc").glob("[0-9]*"):
        try:
            is_ours = str((place / "exe").readlink()).endswith("/usr/lib/lamplight/lamplight")
        except OSError:  # It has just ended.
            continue
        found += [int(place.name)] if is_ours else []
    return found


def is_running(root: Path) -> bool:
    """Whether it runs and has come as far as opening its library."""
    return bool(processes(root)) and (root / HOME / ".local/share/lamplight/library.lock").exists()


def activate(root: Path) -> None:
    as_person(root, f"xdotool windowactivate --sync {windows(root, 'Lamplight')[0]}")


def quit_it(root: Path) -> None:
    """Called to the front by its menu entry, wherever it is, and told to quit by its key."""
    as_person(root, "gtk-launch lamplight >/dev/null 2>&1")
    wait(lambda: windows(root, "Lamplight"), "it does not come to the front")
    for _ in range(3):
        activate(root)
        as_person(root, "sleep 1; xdotool key --clearmodifiers ctrl+q")
        if waited(lambda: not processes(root), 15):
            return
        say("  (the key to quit had to be pressed again)")
    raise Failed("it does not quit")


def click(root: Path, x: int, y: int) -> None:
    as_person(root, f"xdotool mousemove {x} {y} click 1")


def picture(root: Path, name: str) -> None:
    as_person(root, f"sleep 1; scrot --overwrite {name}.png")
    PICTURES.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(root / HOME / f"{name}.png", PICTURES / f"{name}.png")


def wait(is_so: Callable[[], object], otherwise: str, seconds: float = 60) -> None:
    expect(waited(is_so, seconds), otherwise)


def waited(is_so: Callable[[], object], seconds: float) -> bool:
    until = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > until:
            return False
        time.sleep(0.1)
    return True


def say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    main()
