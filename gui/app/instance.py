"""One window for each home: a second start hands its words to the first one and ends.

A lock file says who is first and is free again when its process is gone, however that ended; the local socket beside it
is open to this person alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QLockFile, QObject, Signal

from engine.paths import Home
from gui.handover import lock_file, socket_name, written

if TYPE_CHECKING:  # QtNetwork takes a thirtieth of the time to the first paint, which is not to wait for it.
    from PySide6.QtNetwork import QLocalServer, QLocalSocket

WAIT_MS = 2_000
AGAIN_MS = 50
MAX_BYTES = 100_000


class Instance(QObject):
    received = Signal(list)
    """The words of a later start; an empty list only asks to be shown."""

    def __init__(self, home: Home, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._home = home
        self._lock = QLockFile(str(lock_file(home)))
        self._lock.setStaleLockTime(0)
        self._server: QLocalServer | None = None

    def claim(self) -> bool:
        """Become the first one; False when another window has this home."""
        return self._lock.tryLock(0)

    def listen(self) -> bool:
        """Hear later starts. They wait for it a while, so that it may come after the first paint."""
        from PySide6.QtNetwork import QLocalServer

        name = socket_name(self._home)
        QLocalServer.removeServer(name)  # Left by a process that was killed.
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._on_connection)
        return self._server.listen(name)

    def hand_over(self, words: list[str]) -> bool:
        """Give ``words`` to the window that runs; False when it does not answer."""
        from PySide6.QtCore import QDeadlineTimer, QThread
        from PySide6.QtNetwork import QLocalSocket

        socket, until, name = QLocalSocket(), QDeadlineTimer(WAIT_MS), socket_name(self._home)
        socket.connectToServer(name)
        while not socket.waitForConnected(WAIT_MS):
            if until.hasExpired():
                return False
            QThread.msleep(AGAIN_MS)  # It has only begun, and does not listen yet.
            socket.connectToServer(name)
        socket.write(written(words))
        return socket.waitForBytesWritten(WAIT_MS) and socket.waitForReadyRead(WAIT_MS)

    def release(self) -> None:
        if self._server is not None:
            self._server.close()
        self._lock.unlock()

    def _on_connection(self) -> None:
        socket = self._server.nextPendingConnection() if self._server is not None else None
        if socket is not None:
            socket.readyRead.connect(lambda: self._read(socket))
            socket.disconnected.connect(socket.deleteLater)

    def _read(self, socket: QLocalSocket) -> None:
        if socket.bytesAvailable() > MAX_BYTES:
            socket.abort()
        elif socket.canReadLine():
            words = _parse(bytes(socket.readLine().data()))
            socket.write(b"ok\n")
            socket.flush()
            if words is not None:
                self.received.emit(words)


def _parse(line: bytes) -> list[str] | None:
    import json

    try:
        words = json.loads(line)
    except ValueError:
        return None
    return words if isinstance(words, list) and all(isinstance(word, str) for word in words) else None
