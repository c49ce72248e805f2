"""Mail (.eml) and saved web pages (.mhtml), which are made alike: the text that a reader would see.

Of a mail the subject is the title; sender, recipients and date are metadata and also its first lines, attachments are
named. Of a saved page the first HTML part is read as a page.
"""

from __future__ import annotations

from collections.abc import Iterator
from email import message_from_bytes, policy
from email.errors import MessageError
from email.message import EmailMessage, MIMEPart
from email.utils import getaddresses, parsedate_to_datetime

from multihop.errors import InvalidRecord
from multihop.index.readers import html
from multihop.index.readers.files import Content, binary_format

_BROKEN = (AttributeError, LookupError, MessageError, RecursionError, TypeError, ValueError)


def extract(data: bytes, source: str) -> Content:
    """Extract subject, text and headers from a mail."""
    message = _parse(data, source)
    subject = str(message["subject"] or "")
    headers = dict(_headers(message))
    # Who wrote to whom and when can be asked for and quoted, like what was written.
    shown = "\n".join(f"{name.title()}: {_header_line(name, value)}" for name, value in headers.items())
    text = "\n\n".join(filter(None, (shown, _text(message, source).strip())))
    return Content(text, " ".join(subject.split()), headers)


def _header_line(name: str, value: object) -> str:
    if name == "date":
        return str(value)[: len("2020-04-09T12:30")].replace("T", " ")
    return " ".join((", ".join(map(str, value)) if isinstance(value, tuple) else str(value)).split())


def extract_page(data: bytes, source: str) -> Content:
    """Extract title and text from a web page saved as one file."""
    message = _parse(data, source)
    for part in message.walk():
        if part.get_content_type() in ("text/html", "application/xhtml+xml"):
            content = html.extract(_decode(part), source)
            # Browsers built on Chromium write the former, others only the latter.
            address = str(message["snapshot-content-location"] or part["content-location"] or "")
            return Content(content.text, content.title, {"url": address} if address.startswith("http") else {})
    raise InvalidRecord("holds no HTML page", source=source)


def _parse(data: bytes, source: str) -> EmailMessage:
    try:
        message = message_from_bytes(data, policy=policy.default)
    except _BROKEN as error:
        raise InvalidRecord(f"is not a readable mail: {error}", source=source) from error
    # Any text parses as a mail without headers.
    if not message.keys():
        raise InvalidRecord("is not a mail: it has no headers", source=source)
    return message


def _text(message: EmailMessage, source: str) -> str:
    body = message.get_body(("plain", "html"))
    parts: list[str] = []
    if body is not None and body.get_content_type() == "text/html":
        parts.append(html.extract(_decode(body), source).text)
    elif body is not None:
        parts.append(_decode(body).decode("utf-8"))
    names = [name for part in message.iter_attachments() if (name := part.get_filename())]
    return "\n\n".join([*parts, *([f"Attachments: {', '.join(names)}"] if names else [])])


def _decode(part: MIMEPart) -> bytes:
    """Return the text of a part as UTF-8; an undecodable part does not fail the message."""
    data = part.get_payload(decode=True)
    raw = data if isinstance(data, bytes) else b""
    try:
        return raw.decode(part.get_content_charset() or "utf-8").encode("utf-8", "replace")
    except (LookupError, UnicodeDecodeError):
        # Every byte is a character of Latin-1, so this cannot fail.
        return raw.decode("latin-1").encode("utf-8")


def _headers(message: EmailMessage) -> Iterator[tuple[str, object]]:
    for header in ("from", "to", "cc"):
        people = getaddresses([str(value) for value in message.get_all(header, [])])
        if named := tuple(dict.fromkeys(f"{name} <{mail}>" if name else mail for name, mail in people if name or mail)):
            yield header, named if named[1:] else named[0]
    try:
        if message["date"]:
            yield "date", parsedate_to_datetime(str(message["date"])).strftime("%Y-%m-%dT%H:%M:%S")
    except _BROKEN:
        return


EML = binary_format(extract, (".eml",), "message/rfc822")
MHTML = binary_format(extract_page, (".mhtml", ".mht"))
