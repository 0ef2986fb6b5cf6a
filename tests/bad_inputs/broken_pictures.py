"""Bytes that are not valid images, by name."""

from __future__ import annotations

import io
import struct
import zlib

from PIL import Image, features


def encoded(kind: str, size: tuple[int, int] = (32, 24), turned: int = 90, **more: object) -> bytes:
    out = io.BytesIO()
    gradient = Image.linear_gradient("L").resize(size)
    Image.merge("RGB", [gradient, gradient.rotate(turned), gradient]).save(out, kind, **more)
    return out.getvalue()


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(width: int, height: int, *chunks: bytes, depth: int = 8, colour: int = 2) -> bytes:
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + b"".join(chunks) + chunk(b"IEND", b"")


def bmp(width: int, height: int, bits: int = 24) -> bytes:
    return (
        b"BM" + struct.pack("<IHHI", 54, 0, 0, 54) + struct.pack("<IiiHHIIiiII", 40, width, height, 1, bits, *[0] * 6)
    )


def tiff(*entries: tuple[int, int, int, int], following: int = 0) -> bytes:
    directory = b"".join(struct.pack("<HHII", *entry) for entry in entries)
    return b"II*\0" + struct.pack("<IH", 8, len(entries)) + directory + struct.pack("<I", following)


def dds(four: bytes) -> bytes:
    pixel_format = struct.pack("<II4sIIIII", 32, 4, four, 0, 0, 0, 0, 0)
    header = struct.pack("<IIIIIII44s", 124, 0x1007, 16, 16, 0, 0, 0, b"") + pixel_format + b"\0" * 20
    return b"DDS " + header + b"\0" * 64


JPEG, GIF, WEBP, PNG = (encoded(kind) for kind in ("JPEG", "GIF", "WEBP", "PNG"))
BROKEN: dict[str, bytes] = {
    "nothing": b"",
    "text": b"a picture of a cat",
    "a page": b"<!doctype html><title>404</title>",
    "SVG": b'<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>',
    "EPS": b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 8 8\n(/tmp/x) (w) file\n%%EOF\n",
    "PDF": b"%PDF-1.7\n",
    "PSD": b"8BPS\0\1" + b"\0" * 40,
    "BLP": b"BLP2" + struct.pack("<IBBBBII", 1, 9, 0, 0, 0, 16, 16) + b"\0" * 1200,
    "DDS": dds(b"DXT9"),
    "DDS of DX10": dds(b"DX10"),
    "PNG of its signature": PNG[:8],
    "PNG without end": PNG[:60],
    "PNG with a wrong checksum": PNG[:29] + b"\0\0\0\0" + PNG[33:],
    "PNG of no pixels": png(0, 0),
    "PNG without data": png(8, 8),
    "PNG of a broken stream": png(8, 8, chunk(b"IDAT", b"\x78\x9c\xff\xff\xff")),
    "PNG of unknown depth": png(8, 8, depth=7),
    "PNG of 60,000 x 60,000": png(60_000, 60_000),
    "PNG of 10,000 x 10,000": png(10_000, 10_000, chunk(b"IDAT", zlib.compress(b"\0" * 10**6))),
    "PNG with 70 MB of text": png(8, 8, chunk(b"zTXt", b"a\0\0" + zlib.compress(b"x" * 70_000_000))),
    "JPEG of its first bytes": JPEG[:20],
    "JPEG without end": JPEG[: len(JPEG) // 2],
    "JPEG of no pixels": JPEG.replace(struct.pack(">HH", 24, 32), struct.pack(">HH", 0, 0), 1),
    "GIF without data": GIF[:13],
    "WebP without end": WEBP[:40],
    "WebP of no chunk": b"RIFF\x04\0\0\0WEBP",
    "BMP of negative width": bmp(-8, 8),
    "BMP of 60,000 x 60,000": bmp(60_000, 60_000),
    "BMP of 3 bits": bmp(8, 8, bits=3),
    "TIFF of no directory": b"II*\0",
    "TIFF with a directory outside": b"II*\0\xff\xff\xff\xff",
    "TIFF of no pixels": tiff((256, 3, 1, 0), (257, 3, 1, 0)),
    "TIFF of unknown compression": tiff((256, 3, 1, 8), (257, 3, 1, 8), (259, 3, 1, 60_000), (273, 4, 1, 8)),
    "PPM of 60,000 x 60,000": b"P6 60000 60000 255\n",
    "PPM of words": b"P6 wide high 255\n",
    "ICO of nothing": b"\0\0\1\0\1\0" + b"\0" * 16,
    "JPEG 2000 of its signature": b"\0\0\0\x0cjP  \r\n\x87\n",
}
if features.check("avif"):
    AVIF = encoded("AVIF")
    BROKEN |= {"AVIF without end": AVIF[: len(AVIF) * 2 // 3], "AVIF of its first bytes": AVIF[:40]}
