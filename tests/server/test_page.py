"""What a browser gets: the page, the operations, reports, and the headers that protect them."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from multihop.server.bundle import bundled
from multihop.server.routes import page

from .conftest import Serve


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page of our own, so that these tests say nothing about the one that ships."""
    place = tmp_path / "page"
    (place / "parts").mkdir(parents=True)
    (place / "index.html").write_text("<!doctype html><title>Page</title>")
    (place / "parts" / "graph.js").write_text("export const graph = 1;\n" * 100)
    (place / "notes.py").write_text("secret = 1")
    monkeypatch.setattr(page, "FOLDER", place)
    return place


def test_the_page_and_its_files(client: TestClient, folder: Path) -> None:
    start = client.get("/")
    assert (start.status_code, start.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert start.text == client.get("/index.html").text == (folder / "index.html").read_text()
    script = client.get("/parts/graph.js", headers={"Accept-Encoding": "identity"})
    assert script.headers["content-type"] == "text/javascript; charset=utf-8"
    assert "content-encoding" not in script.headers
    packed = client.get("/parts/graph.js", headers={"Accept-Encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.text == script.text
    assert int(packed.headers["content-length"]) == len(gzip.compress(script.content, mtime=0)) < 200
    assert client.head("/").headers["content-length"] == str(len(gzip.compress(start.content, mtime=0)))


def test_a_file_is_sent_again_only_when_it_changed(client: TestClient, folder: Path) -> None:
    tag = client.get("/").headers["etag"]
    same = client.get("/", headers={"If-None-Match": tag})
    assert (same.status_code, same.content, same.headers["cache-control"]) == (304, b"", "no-cache")
    (folder / "index.html").write_text("<!doctype html><title>Another</title>")
    assert "Another" in client.get("/", headers={"If-None-Match": tag}).text


def test_files_of_the_page_are_kept_until_one_of_them_changes(client: TestClient, folder: Path) -> None:
    (folder / "index.html").write_text('<!doctype html><a href="#x"></a><script src="parts/graph.js"></script>')
    start = client.get("/").text
    [address] = re.findall('src="(_[0-9a-f]{16}/parts/graph.js)"', start)
    assert 'href="#x"' in start
    kept = client.get(f"/{address}")
    assert (kept.text, kept.headers["cache-control"]) == (
        (folder / "parts" / "graph.js").read_text(),
        "public, max-age=31536000, immutable",
    )
    assert client.get("/parts/graph.js").headers["cache-control"] == "no-cache"
    (folder / "parts" / "graph.js").write_text("export const graph = 2;\n")
    assert address not in client.get("/").text
    assert client.get(f"/{address}").headers["cache-control"] == "no-cache"
    assert client.get(f"/{address}x").status_code == 404


@pytest.mark.parametrize(
    "path", ["/nope", "/notes.py", "/..%2fsample.mh/documents.sqlite", "/%2fetc%2fpasswd", "/parts"]
)
def test_nothing_else_is_sent(client: TestClient, folder: Path, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert answer.json()["error"]["message"].endswith("the operations are listed at /docs")


def test_what_can_only_be_sent_to_cannot_be_looked_at(client: TestClient) -> None:
    answer = client.get("/v1/indexes/sample/retrieve")
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
    assert answer.json()["error"]["message"] == "this cannot be done here; the operations are listed at /docs"
    assert client.get("/v1/indexes/sample/nothing").status_code == 404


@pytest.mark.parametrize("path", ["/", "/v1/indexes", "/nope", "/docs", "/v1/indexes/none/stats"])
def test_every_answer_is_protected(client: TestClient, folder: Path, path: str) -> None:
    headers = client.get(path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-frame-options"] == "DENY"
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'")
    assert "script-src 'unsafe-inline'" not in policy
    assert "server" not in headers


def test_the_operations_are_listed_without_scripts(client: TestClient) -> None:
    told = client.get("/docs").text
    assert "<script" not in told
    assert "http://" not in told.replace("http://localhost", "")
    for path, methods in client.get("/openapi.json").json()["paths"].items():
        assert path in told
        assert all(f'<span class="method">{method.upper()}</span> {path}' in told for method in methods)


def test_reports(serve: Serve, tmp_path: Path) -> None:
    folder = tmp_path / "reports"
    (folder / "may").mkdir(parents=True)
    (folder / "may" / "hover & co.html").write_text("<!doctype html><title>Hover\n&amp; co</title><script>1</script>")
    (folder / "run.json").write_text("{}")
    client = serve(reports=folder)
    [listed] = client.get("/v1/reports").json()["reports"]
    assert (listed["name"], listed["address"]) == ("may/hover & co.html", "/reports/may/hover%20%26%20co.html")
    assert listed["title"] == "Hover & co"
    shown = client.get(listed["address"])
    assert (shown.text, shown.headers["content-type"]) == (
        "<!doctype html><title>Hover\n&amp; co</title><script>1</script>",
        "text/html; charset=utf-8",
    )
    assert shown.headers["content-security-policy"].startswith("sandbox allow-scripts; default-src 'none'")
    (tmp_path / "secret.html").write_text("secret")
    (folder / "link.html").symlink_to(tmp_path / "secret.html")
    assert len(client.get("/v1/reports").json()["reports"]) == 1
    for name in ("run.json", "..%2ftokens.html", "may", "link.html"):
        assert client.get(f"/reports/{name}").status_code == 404


def test_the_modules_of_the_page_come_as_one_file(client: TestClient) -> None:
    modules = {place.relative_to(page.FOLDER).as_posix() for place in page.FOLDER.rglob("*.js")} - {"first.js"}
    start = client.get("/").text
    assert re.findall('src="_[0-9a-f]{16}/([^"]+[.]js)"', start) == ["first.js", "bundle.js"]
    [address] = re.findall('src="(_[0-9a-f]{16}/bundle[.]js)"', start)
    bundle = client.get(f"/{address}")
    assert bundle.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert bundle.text.count(" = (() => {\n") == len(modules)
    assert not re.search("^(import|export|//)", bundle.text, re.MULTILINE)


def test_modules_are_joined_in_the_order_of_their_imports() -> None:
    texts = {
        "app.js": '// Start.\nimport { one } from "./p/one.js";\nimport * as two from "./p/two.js";\nrun(one);\n',
        "p/one.js": 'import { two } from "./two.js";\n/** Doc. */\nexport async function one() {}\nexport class C {}\n',
        "p/two.js": 'export const two = "// no comment";\n',
    }
    assert bundled("app.js", texts.__getitem__) == (
        'const $m0 = (() => {\nconst two = "// no comment";\nreturn { two };\n})();\n'
        "const $m1 = (() => {\nconst { two } = $m0;\nasync function one() {}\nclass C {}\nreturn { one, C };\n})();\n"
        "const $m2 = (() => {\nconst { one } = $m1;\nconst two = $m0;\nrun(one);\nreturn {  };\n})();\n"
    )


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ({"a.js": 'import { b } from "./b.js";\n', "b.js": 'import { a } from "./a.js";\n'}, "a.js → b.js → a.js"),
        ({"a.js": 'import b from "./b.js";\n'}, "a.js: 'import b from"),
        ({"a.js": "export default 1;\n"}, "a.js: 'export default 1;' cannot be bundled"),
    ],
)
def test_what_cannot_be_bundled_is_named(texts: dict[str, str], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        bundled("a.js", texts.__getitem__)


def test_the_frame_of_reports_is_a_sandbox_that_only_the_page_may_hold(client: TestClient) -> None:
    frame = client.get("/frame.html")
    policy = frame.headers["content-security-policy"]
    assert policy.startswith("sandbox allow-scripts; default-src 'none'")
    assert "allow-same-origin" not in policy
    assert (policy.endswith("frame-ancestors 'self'"), frame.headers["x-frame-options"]) == (True, "SAMEORIGIN")
    assert client.get("/index.html").headers["x-frame-options"] == "DENY"


def test_no_reports(client: TestClient) -> None:
    assert client.get("/v1/reports").json() == {"reports": []}
    assert client.get("/reports/a.html").status_code == 404
