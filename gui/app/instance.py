"""One window for each home: a second start hands its words to the first one and ends.

A lock file says who is first and is free again when its process is gone, however that ended; the local socket beside it
is open to this person alone.
"""

from __future__ import annotations

import json

from PySide6.QtCore import QLockFile, QObject, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from engine.paths import Home
from gui.handover import socket_name, written

WAIT_MS = 2_000
MAX_BYTES = 100_000


class Instance(QObject):
    received = Signal(list)
    """The words of a later start; an empty list only asks to be shown."""

    def __init__(self, home: Home, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._name = socket_name(home)
        self._lock = QLockFile(str(home.data / "window.lock"))
        self._lock.setStaleLockTime(0)
        self._server: QLocalServer | None = None

    def claim(self) -> bool:
        """Become the first one; False when another window has this home."""
        if not self._lock.tryLock(0):
            return False
        QLocalServer.removeServer(self._name)  # Left by a process that was killed.
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._on_connection)
        return self._server.listen(self._name)

    def hand_over(self, words: list[str]) -> bool:
        """Give ``words`` to the window that runs; False when it does not answer."""
        socket = QLocalSocket()
        socket.connectToServer(self._name)
        if not socket.waitForConnected(WAIT_MS):
            return False
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
    try:
        words = json.loads(line)
    except ValueError:
        return None
    return words if isinstance(words, list) and all(isinstance(word, str) for word in words) else None
