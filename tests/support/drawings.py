"""drawings.py - the drawings of a report's page, as a test reads them: sizes, texts, numbers of the axes, images."""
import base64
import re
import struct
import xml.dom.minidom
import zlib

LETTER = 7.1  # mean width of a letter at the size of text in drawings
TEXT_HEIGHT = 13


def figure_of(source, csv):
    """The figure whose numbers are in the file of that name."""
    for figure in re.findall(r"<figure>.*?</figure>", source, re.S):
        if f'href="{csv}"' in figure:
            return figure
    raise ValueError(f"no figure has {csv}")


def drawings_of(figure):
    """Its drawings, wide and narrow, as XML."""
    parts = figure.split('<svg class="drawing')[1:]
    ends = [part.index("</svg>\n<ul") if "</svg>\n<ul" in part else part.rindex("</svg>") for part in parts]
    whole = ['<svg class="drawing' + part[:end] + "</svg>" for part, end in zip(parts, ends)]
    return [xml.dom.minidom.parseString(text).documentElement for text in whole]


def is_narrow(drawing):
    return "narrow" in drawing.getAttribute("class").split()


def size_of(drawing):
    return tuple(float(x) for x in drawing.getAttribute("viewBox").split()[2:])


class Text:
    """A text of a drawing: what it says, and which part of the drawing it takes."""

    def __init__(self, node):
        self.says = "".join(child.data for child in node.childNodes)
        self.kind, self.anchor = node.getAttribute("class"), node.getAttribute("text-anchor")
        length = LETTER * len(self.says)
        x, y = float(node.getAttribute("x")), float(node.getAttribute("y"))
        left = x - length * {"start": 0, "middle": 0.5, "end": 1}[self.anchor]
        inner = node.parentNode
        while inner.nodeName == "g":
            inner = inner.parentNode
        self.is_mark = inner.hasAttribute("x")
        own = [float(inner.getAttribute(k)) for k in ("width", "height")] if self.is_mark else []
        self.room = tuple(own) or size_of(inner)
        self.box = (left, y - TEXT_HEIGHT, left + length, y)

    def is_outside(self):
        left, top, right, bottom = self.box
        return left < -6 or right > self.room[0] + 6 or top < -3 or bottom > self.room[1]


def texts_of(drawing):
    return [Text(node) for node in drawing.getElementsByTagName("text") if node.firstChild is not None]


def scale_of(drawing):
    """Numbers along the y axis, and those beside the bar of colours."""
    tics = [text for text in texts_of(drawing) if text.kind == "" and not text.is_mark]
    return ([text.says for text in tics if text.anchor == "end"], [text.says for text in tics if text.anchor == "start"])


def image_of(drawing):
    """Rows of cells as numbers of colours, 0 to 255, and how wide and high a cell is drawn."""
    node = drawing.getElementsByTagName("image")[0]
    data, at, idat = base64.b64decode(node.getAttribute("href").split(",", 1)[1]), 8, b""
    width, height = struct.unpack(">II", data[16:24])
    while at < len(data):
        length, = struct.unpack(">I", data[at:at + 4])
        idat += data[at + 8:at + 8 + length] if data[at + 4:at + 8] == b"IDAT" else b""
        at += 12 + length
    rows = zlib.decompress(idat)
    cells = [list(rows[i * (width + 1) + 1:(i + 1) * (width + 1)]) for i in range(height)]
    return cells, float(node.getAttribute("width")) / width, float(node.getAttribute("height")) / height


def stripes(cells):
    """How far columns side by side differ, at most, in the last quarter of the columns."""
    begin = 3 * len(cells[0]) // 4
    return max(abs(row[j] - row[j + 1]) for row in cells for j in range(begin, len(row) - 1))
