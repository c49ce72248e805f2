"""Files of a few kilobytes that cost a reader far more."""

from __future__ import annotations

import io
import zipfile

FORMS = "http://schemas.openxmlformats.org"
WORD = f"{FORMS}/wordprocessingml/2006/main"
OFFICE = f"{FORMS}/officeDocument/2006/relationships/officeDocument"
MAIN = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"


def docx(body: str, **parts: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{FORMS}/package/2006/content-types"><Default Extension="rels" '
            'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="png" '
            f'ContentType="image/png"/><Override PartName="/word/document.xml" ContentType="{MAIN}"/></Types>',
        )
        archive.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{FORMS}/package/2006/relationships"><Relationship Id="r1" Type="{OFFICE}" '
            'Target="word/document.xml"/></Relationships>',
        )
        archive.writestr("word/document.xml", f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>')
        for name, data in parts.items():
            archive.writestr(f"word/{name}.png", data)
    return out.getvalue()


def paragraphs(count: int) -> str:
    return "<w:p><w:r><w:t>a</w:t></w:r></w:p>" * count


def long_work() -> bytes:
    """Give a document that does not unpack to more than it may, and still takes a parser longer than a file may."""
    return docx("".join(f"<w:p><w:r><w:t>{n * 7919 % 10**6}</w:t></w:r></w:p>" for n in range(300_000)))


def pdf(listed: int) -> bytes:
    drawn = b"BT /F1 12 Tf 10 10 Td (Hello) Tj ET"
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[" + b"3 0 R " * listed + b"]/Count " + str(listed).encode() + b">>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length " + str(len(drawn)).encode() + b">>stream\n" + drawn + b"\nendstream",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    out = bytearray(b"%PDF-1.4\n")
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += str(number).encode() + b" 0 obj" + content + b"endobj\n"
    table = len(out)
    out += b"xref\n0 6\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer<</Size 6/Root 1 0 R>>\nstartxref\n" + str(table).encode() + b"\n%%EOF"
    return bytes(out)
