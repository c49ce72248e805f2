"""What a browser gets: the page, the operations, reports, and the headers that protect them."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from multihop.errors import StoreError
from multihop.server.bundle import bundle
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
    said = answer.json()["error"]["message"]
    assert said == "GET is not allowed here, only POST; the operations are listed at /docs"
    for send in (client.get, client.post, client.delete):
        nothing = send("/v1/indexes/sample/nothing")
        assert (nothing.status_code, "'/v1/indexes/sample/nothing' not found" in nothing.text) == (404, True)


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
    # All fields of a body, not only those of its example.
    assert "<code>as_of</code></td><td></td><td>Use only documents valid on this day" in told
    assert "<code>question</code></td><td>required</td>" in told
    assert "<code>replace</code></td><td>default true</td>" in told


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


def test_the_modules_of_the_page_come_in_few_files(client: TestClient) -> None:
    texts = {f.relative_to(page.FOLDER).as_posix(): f.read_text() for f in page.FOLDER.rglob("*.js")}
    start = client.get("/").text
    assert re.findall('src="_[0-9a-f]{16}/([^"]+[.]js)"', start) == ["preload.js", "bundle/app.js"]
    [version] = re.findall('src="(_[0-9a-f]{16})/bundle/app[.]js"', start)
    views = re.findall('data-views="([a-z ]+)"', start)[0].split()
    assert views == sorted(name[6:-3] for name in texts if name.startswith("views/"))
    parts = set(re.findall(r'import\("[./]*(parts/[\w-]+[.]js)"\)', "".join(texts.values())))
    assert parts == {"parts/result.js", "parts/passage.js", "parts/chain-picture.js"}
    later = parts | {f"views/{view}.js" for view in views}
    files = {name: client.get(f"/{version}/bundle/{name}") for name in ("app.js", *sorted(later))}
    assert {f.headers["cache-control"] for f in files.values()} == {"public, max-age=31536000, immutable"}
    inside = {name: re.findall(r'^\$m\["(.+?)"\]', f.text, re.MULTILINE) for name, f in files.items()}
    assert {module for modules in inside.values() for module in modules} == {
        *texts.keys() - {"preload.js"},
        "parts/heat-table.js",  # shared with the reports of surveys
    }
    # What starts the page comes once, and no view comes with it.
    assert all(not set(inside["app.js"]) & set(modules) for name, modules in inside.items() if name != "app.js")
    assert not set(inside["app.js"]) & later
    assert not re.search("^(import|//)", "".join(f.text for f in files.values()), re.MULTILINE)
    assert client.get(f"/{version}/bundle/nothing.js").status_code == 404


def test_modules_are_joined_in_the_order_of_their_imports() -> None:
    texts = {
        "app.js": '// Start.\nimport { one } from "./p/one.js";\nimport * as two from "./p/two.js";\nrun(one);\n',
        "p/one.js": 'import { two } from "./two.js";\n/** Doc. */\nexport async function one() {}\nexport class C {}\n',
        "p/two.js": 'export const two = "// no comment";\n',
    }
    modules = "const $m = (globalThis.$modules ??= {});\n"
    two = '$m["p/two.js"] ??= (() => {\nconst two = "// no comment";\nreturn { two };\n})();\n'
    one = """$m["p/one.js"] ??= (() => {\nconst { two } = $m["p/two.js"];
async function one() {}\nclass C {}\nreturn { one, C };\n})();\n"""
    start = """$m["app.js"] ??= (() => {\nconst { one } = $m["p/one.js"];\nconst two = $m["p/two.js"];
run(one);\nreturn {  };\n})();\n"""
    assert bundle("app.js", texts.__getitem__) == modules + two + one + start
    assert bundle("p/one.js", texts.__getitem__) == modules + two + one + 'export const { one, C } = $m["p/one.js"];\n'


def test_what_is_imported_later_is_a_file_of_its_own_less_what_is_there() -> None:
    texts = {
        "app.js": 'import { two } from "./p/two.js";\nimport("./v/one.js");\n',
        "v/one.js": 'import { two } from "../p/two.js";\nimport { three } from "../p/three.js";\n'
        "export const one = 1;\n",
        "p/two.js": "export const two = 2;\n",
        "p/three.js": 'export const three = () =>\n  import("./four.js");\n',
        "p/four.js": "export const four = 4;\n",
    }
    assert 'import("./v/one.js")' in bundle("app.js", texts.__getitem__, "app.js")
    view = bundle("v/one.js", texts.__getitem__, "app.js")
    assert re.findall(r'^\$m\["(.+?)"\]', view, re.MULTILINE) == ["p/three.js", "v/one.js"]
    # It leads from the file that the module came in, which lies in another folder.
    assert '\nimport("../p/four.js");' in view
    assert 'import("./four.js")' in bundle("p/three.js", texts.__getitem__, "app.js")


def test_the_page_says_what_the_server_offers_unless_it_needs_a_token(serve: Serve, tmp_path: Path) -> None:
    reports = tmp_path / "reports"
    reports.mkdir()
    (reports / "a.html").write_text("<title>&lt;/script>&lt;script>alert(1)&lt;/script></title>")
    client = serve(reports=reports)
    [offered] = re.findall('<script type="application/json" id="offered">(.*?)</script>', client.get("/").text)
    known = json.loads(offered)
    assert known["v1/reports"]["reports"][0]["title"] == "</script><script>alert(1)</script>"
    assert "<" not in offered
    assert known == {path: client.get(f"/{path}").json() for path in known}
    assert client.get("/index.html").text == client.get("/").text


def test_the_page_gives_nothing_away_where_a_token_is_needed(serve: Serve, tmp_path: Path) -> None:
    (tmp_path / "tokens.json").write_text('{"tokens": []}')
    start = serve(tokens=tmp_path / "tokens.json").get("/")
    assert start.status_code == 200
    assert '<script type="application/json" id="offered"></script>' in start.text


def test_the_page_comes_even_where_an_index_cannot_be_read(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    async def failing(_: object) -> dict[str, object]:
        raise StoreError("the index is damaged")

    monkeypatch.setitem(page._INITIAL_REQUESTS, "indexes", failing)
    start = client.get("/")
    assert start.status_code == 200
    assert '<script type="application/json" id="offered"></script>' in start.text


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
        bundle("a.js", texts.__getitem__)


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


def test_there_are_six_sizes_of_type_and_one_scale_of_space() -> None:
    for sheet in (page.FOLDER / "style.css", page._SHARED["heat-table.css"]):
        style = sheet.read_text("utf-8")
        sizes = re.findall(r"font(?:-size)?:[^;}]*?((?:var\(--\w+\)|[\d.]+(?:px|em|rem|%)))", style)
        assert set(sizes) <= {f"var(--{name})" for name in ("tiny", "small", "normal", "large", "big", "huge")}
        spaces = re.findall(r"(?<![\w-])(?:margin|padding|gap)(?:-\w+)?: ([^;}]*)", style)
        used = {int(length) for space in spaces for length in re.findall(r"(?<![\w.])(\d+)px", space)}
        assert used <= {2, 4, 8, 12, 16, 24, 32, 40, 64}
