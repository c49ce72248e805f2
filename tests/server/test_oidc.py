"""Users and groups from the tokens of a real, small OpenID Connect provider."""

from __future__ import annotations

import base64
import hashlib
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from oidc_provider_mock import User, app
from starlette.testclient import TestClient
from werkzeug.serving import make_server

from multihop import Engine
from multihop.errors import InvalidInput
from multihop.server import tokens
from multihop.server.oidc import Provider
from multihop.server.settings import Location, Oidc

from ..cli.command import failure
from ..patience import ENOUGH
from .conftest import Serve
from .test_rights import DOCUMENTS, listed

# The provider uses a library in a way that this library is to give up.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
CLIENT = "multihop"
USERS = (
    User(sub="eli", claims={"groups": ["hr", "law"], "email": "eli@kittiwake.example"}),
    User(sub="jon", claims={"groups": "other"}),
    User(sub="eva"),
)
ALL, ELI, JON = ["kittiwake", "pia"], ["kittiwake", "pay", "pia"], ["kittiwake", "pia", "plan"]
Start = Callable[..., TestClient]


@pytest.fixture(scope="module")
def issuer() -> Iterator[str]:
    server = make_server("localhost", 0, app(user_claims=USERS), threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://localhost:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def start(serve: Serve, tmp_path: Path, issuer: str) -> Start:
    place = tmp_path / "company.mh"
    with Engine.open(place, create=True) as engine:
        engine.add(DOCUMENTS)
    indexes = (Location("company", str(place)),)
    return lambda **changes: serve(**{"indexes": indexes, "oidc": Oidc(issuer, CLIENT), **changes})


def sign_in(issuer: str, user: str, client: str = CLIENT) -> str:
    """Sign a user in as a browser would, and return the token that the provider issues."""
    back = "http://localhost/back"
    asked = {"client_id": client, "redirect_uri": back, "response_type": "code", "scope": "openid email"}
    answer = httpx.post(f"{issuer}/oauth2/authorize", params=asked, data={"sub": user}, timeout=ENOUGH)
    [code] = parse_qs(urlsplit(answer.headers["location"]).query)["code"]
    given = {"grant_type": "authorization_code", "code": code, "redirect_uri": back}
    issued = httpx.post(f"{issuer}/oauth2/token", data=given, auth=(client, "secret"), timeout=ENOUGH).json()
    return str(issued["id_token"])


def seen(client: TestClient, token: str) -> list[str]:
    return listed(client, Authorization=f"Bearer {token}")


def status(client: TestClient, token: str) -> tuple[int, str]:
    answer = client.get("/v1/indexes/company/documents", headers={"Authorization": f"Bearer {token}"})
    return answer.status_code, answer.text


def test_users_see_what_they_and_their_groups_may(start: Start, issuer: str) -> None:
    client = start()
    assert [seen(client, sign_in(issuer, user)) for user in ("eli", "jon", "eva")] == [ELI, JON, ALL]
    assert client.get("/v1/indexes/company/documents").status_code == 401
    headers = {"Authorization": f"Bearer {sign_in(issuer, 'eli')}"}
    asked = client.post(
        "/v1/indexes/company/retrieve", json={"question": "What is the pay of Pia Holm?"}, headers=headers
    )
    assert sorted(e["passage"]["document_id"] for e in asked.json()["evidence"]) == ELI
    new = {"documents": [{"id": "x", "text": "y"}]}
    assert client.post("/v1/indexes/company/documents", json=new, headers=headers).status_code == 403


def test_another_claim_may_name_the_user_and_the_groups(start: Start, issuer: str) -> None:
    client = start(oidc=Oidc(issuer, CLIENT, "email", "teams"))
    assert seen(client, sign_in(issuer, "eli")) == ALL
    code, said = status(client, sign_in(issuer, "jon"))
    assert (code, "no claim 'email'" in said) == (401, True)


def test_tokens_of_the_server_go_on_beside_it(start: Start, issuer: str, tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    own = tokens.create(file, "admin", ["read", "write"])
    client = start(tokens=file)
    assert seen(client, own) == ["kittiwake", "pay", "pia", "plan"]
    assert seen(client, sign_in(issuer, "eva")) == ALL
    assert status(client, "mh_unknown")[0] == 401


def test_tokens_that_are_not_valid_are_refused(start: Start, issuer: str) -> None:
    client = start()
    good = sign_in(issuer, "eli")
    head, body, signature = good.split(".")
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    assert "kid" not in jwt.get_unverified_header(good)
    claims = {"iss": issuer, "aud": CLIENT, "sub": "eli", "exp": int(time.time()) + 600, "groups": ["hr"]}
    bad = {
        "for another application": sign_in(issuer, "eli", "another"),
        "changed": f"{head}.{body[:-2]}AA.{signature}",
        "signed by another": jwt.encode(claims, key, "RS256"),
        "with an unknown key": jwt.encode(claims, key, "RS256", {"kid": "made-up"}),
        "not signed": jwt.encode(claims, "", "none"),
        "signed with a secret": jwt.encode(claims, "a secret of more than thirty-two bytes", "HS256"),
        "no token": "a.b.c",
    }
    for what, token in bad.items():
        code, said = status(client, token)
        assert (code, "the token is not valid" in said) == (401, True), (what, said)
    assert seen(client, good) == ELI


def test_a_token_that_has_expired_is_refused(start: Start, issuer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    client = start()
    token = sign_in(issuer, "eli")
    assert seen(client, token) == ELI
    # The clock of the server alone: the provider has issued it for an hour.
    ahead = time.time() + 7200
    monkeypatch.setattr("multihop.server.oidc.time.time", lambda: ahead)
    monkeypatch.setattr("multihop.server.oidc._LEEWAY", -7200)
    assert status(client, token)[0] == 401


def test_made_up_keys_are_not_asked_for_again_and_again(issuer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from multihop.server import oidc

    provider, asked = Provider(Oidc(issuer, CLIENT)), list[str]()
    get = oidc._get

    def counted(url: str) -> dict[str, object]:
        asked.append(url)
        return get(url)

    monkeypatch.setattr(oidc, "_get", counted)
    for number in range(5):
        with pytest.raises(jwt.InvalidKeyError, match="does not publish"):
            provider._key(f"made-up-{number}")
    assert [url.removeprefix(issuer) for url in asked] == ["/.well-known/openid-configuration", "/jwks"]


def test_a_provider_that_cannot_be_used_is_named_at_the_start(issuer: str, sample_index: Path) -> None:
    for settings, said in (
        (Oidc("http://localhost:1", CLIENT), "cannot be read at http://localhost:1/.well-known"),
        (Oidc("http://sign-in.example", CLIENT), "must be at an https:// URL"),
        (Oidc(f"{issuer}/", CLIENT), f"calls itself '{issuer}'; give that"),
    ):
        with pytest.raises(InvalidInput, match=said):
            Provider(settings).check()
    base = ("serve", "--index", sample_index)
    assert "need each other" in failure(*base, "--oidc-issuer", issuer, status=2)
    whole = (*base, "--oidc-issuer", "http://localhost:1", "--oidc-audience", CLIENT)
    assert "cannot be read at http://localhost:1" in failure(*whole)
    assert "give one of them" in failure(*whole, "--user-header", "X-User", status=2)
    assert "cannot be combined" in failure(*whole, "--no-auth", status=2)


BACK = "https://search.example/"


def test_signing_in_on_the_page(start: Start, issuer: str) -> None:
    """The whole way: to the provider, back with a code, and a token for the code; each part is needed."""
    client = start(oidc=Oidc(issuer, CLIENT, secret="s"))
    begun = client.get("/v1/sign-in", params={"back": BACK}).json()
    place, asked = begun["url"].split("?"), parse_qs(urlsplit(begun["url"]).query)
    assert (place[0], asked["client_id"], asked["redirect_uri"]) == (f"{issuer}/oauth2/authorize", [CLIENT], [BACK])
    assert asked["scope"] == ["openid profile email"]
    digest = hashlib.sha256(begun["verifier"].encode()).digest()
    assert asked["code_challenge"] == [base64.urlsafe_b64encode(digest).rstrip(b"=").decode()]
    came = parse_qs(urlsplit(httpx.post(begun["url"], data={"sub": "eli"}, timeout=ENOUGH).headers["location"]).query)
    assert came["state"] == [begun["state"]]
    body = {"code": came["code"][0], "verifier": begun["verifier"], "back": BACK}
    assert client.post("/v1/sign-in", json=body | {"code": "made-up"}).status_code == 403
    token = client.post("/v1/sign-in", json=body).json()["token"]
    assert seen(client, token) == ELI
    again = client.post("/v1/sign-in", json=body)
    assert (again.status_code, "sign in again" in again.text) == (403, True)


def test_signing_in_elsewhere_is_refused(start: Start, serve: Serve, issuer: str, sample_index: Path) -> None:
    client = start()
    for back in ("", "javascript:alert(1)", "/relative", "https://x.example/#part", "https://x.example/" + "x" * 3000):
        assert client.get("/v1/sign-in", params={"back": back}).status_code == 422
    assert client.post("/v1/sign-in", json={"code": "x"}).status_code == 422
    without = serve()
    assert without.get("/v1/sign-in", params={"back": BACK}).json() == {}
    assert without.post("/v1/sign-in", json={"code": "x", "verifier": "x", "back": BACK}).status_code == 404
    away = start(oidc=Oidc("http://localhost:1", CLIENT))
    assert away.get("/v1/sign-in", params={"back": BACK}).status_code == 503
