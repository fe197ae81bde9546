"""A second program with one button; what is pressed and moved from it is a drag of the path it was given."""

from __future__ import annotations

import sys

from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QDrag, QMouseEvent
from PySide6.QtWidgets import QApplication, QLabel


class Source(QLabel):
    def mousePressEvent(self, event: QMouseEvent) -> None:
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(sys.argv[1])])
        drag = QDrag(self)
        drag.setMimeData(data)
        drag.exec(Qt.DropAction.CopyAction)


app = QApplication(sys.argv[:1])
label = Source("drag me")
label.setWindowTitle("Drag source")
label.setGeometry(1400, 40, 160, 120)
label.show()
sys.exit(app.exec())
