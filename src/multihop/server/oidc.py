"""Users and groups from signed tokens of an OpenID Connect provider, and signing in to get one.

The signature is checked with the keys that the provider publishes. They are fetched when a token first needs them, and
again when one names a key that is not known, at most every half minute: made-up keys must not become requests.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
import time
from collections import OrderedDict
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote_plus, urlencode, urlsplit
from urllib.request import Request, urlopen

from multihop.errors import InvalidInput, cause, needs_extra
from multihop.server.problems import Problem, log
from multihop.server.settings import LOOPBACK, Oidc
from multihop.server.tokens import Token
from multihop.types import Rights

with needs_extra("Signing in with OpenID Connect", "oidc"):
    import jwt

# Signatures with a key pair: a shared secret would let whoever can check a token make one.
_ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
_FRESH = 3600.0
_PATIENCE = 30.0
_SECONDS = 10.0
_MOST_BYTES = 2**20
_LEEWAY = 60
_CACHED = 1000
_SCOPES = ("profile", "email", "groups")
"""What is asked for beside the identity, where the provider offers it."""
_BASIC = ("client_secret_basic",)
"""How a client authenticates where the provider does not say."""
_REFUSED = (400, 401, 403)
_AWAY = (503, "the sign-in provider cannot be reached; try again later")
_NOT_SIGNED_IN = (403, "the sign-in provider refused; sign in again")


class Provider:
    """Verifies tokens of one provider; safe to share between threads."""

    def __init__(self, settings: Oidc) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._keys: dict[str, Any] = {}
        self._about: dict[str, Any] = {}
        self._fetched = float("-inf")
        self._verified: OrderedDict[str, tuple[float, Token]] = OrderedDict()

    def check(self) -> None:
        """Raise if the provider cannot be reached, or publishes no keys."""
        with self._lock:
            self._fetch()

    def token(self, secret: str) -> Token:
        """Return the token of a user, with that user's rights; raises a Problem where it is not valid."""
        digest = hashlib.sha256(secret.encode()).hexdigest()
        known = self._verified.get(digest)
        if known is not None and time.time() < known[0]:
            return known[1]
        claims = self._claims(secret)
        token = self._of_user(claims)
        self._verified[digest] = (float(claims["exp"]) + _LEEWAY, token)
        while len(self._verified) > _CACHED:
            self._verified.popitem(last=False)
        return token

    def sign_in(self, back: str) -> dict[str, str]:
        """Start signing in: the URL to send the user to, and the state and verifier that the page keeps until then."""
        state, verifier = secrets.token_urlsafe(16), secrets.token_urlsafe(32)
        digest = hashlib.sha256(verifier.encode()).digest()
        endpoint = self._endpoint("authorization_endpoint")
        offered = self._about.get("scopes_supported")
        more = (scope for scope in _SCOPES if isinstance(offered, list) and scope in offered)
        asked = {
            "response_type": "code", "client_id": self._settings.audience, "redirect_uri": back, "state": state,
            "scope": " ".join(("openid", *more)), "code_challenge_method": "S256",
            "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
        }  # fmt: skip
        return {
            "url": f"{endpoint}{'&' if '?' in endpoint else '?'}{urlencode(asked)}",
            "state": state,
            "verifier": verifier,
        }

    def redeem(self, code: str, verifier: str, back: str) -> str:
        """Exchange the code with which a user came back for a token; raises a Problem where the provider refuses."""
        client, secret = self._settings.audience, self._settings.secret
        given = {"grant_type": "authorization_code", "code": code, "redirect_uri": back, "code_verifier": verifier}
        request = Request(self._endpoint("token_endpoint"), headers={"Accept": "application/json"})  # noqa: S310 - checked
        if secret and "client_secret_basic" in self._about.get("token_endpoint_auth_methods_supported", _BASIC):
            pair = f"{quote_plus(client)}:{quote_plus(secret)}".encode()
            request.add_header("Authorization", f"Basic {base64.b64encode(pair).decode()}")
        else:
            given |= {"client_id": client} | ({"client_secret": secret} if secret else {})
        request.data = urlencode(given).encode()
        try:
            token = _read(request).get("id_token")
        except InvalidInput as error:
            log.warning("%s", error)
            refused = isinstance(error.__cause__, HTTPError) and error.__cause__.code in _REFUSED
            raise Problem(*_NOT_SIGNED_IN if refused else _AWAY) from None
        if not isinstance(token, str):
            raise Problem(502, "the sign-in provider sent no ID token")
        self.token(token)
        return token

    def _endpoint(self, name: str) -> str:
        with self._lock:
            try:
                if not self._about:
                    self._fetch()
                return check_url(str(self._about.get(name, "")))
            except InvalidInput as error:
                log.warning("%s", error)
                raise Problem(*_AWAY) from None

    def _claims(self, secret: str) -> dict[str, Any]:
        try:
            header = jwt.get_unverified_header(secret)
            key = self._key(str(header.get("kid", "")))
            claims: dict[str, Any] = jwt.decode(
                secret, key, algorithms=_ALGORITHMS, audience=self._settings.audience, issuer=self._settings.issuer,
                leeway=_LEEWAY, options={"require": ["exp", "iss", "aud", "sub"]},
            )  # fmt: skip
        except (jwt.PyJWTError, ValueError, TypeError) as error:
            reason = str(error)[:120] or type(error).__name__
            raise Problem(401, f"the token is not valid: {reason}", {"WWW-Authenticate": "Bearer"}) from None
        return claims

    def _of_user(self, claims: dict[str, Any]) -> Token:
        user = claims.get(self._settings.user_claim)
        if not isinstance(user, str) or not user.strip():
            said = f"the token does not name the user: it has no claim {self._settings.user_claim!r}"
            raise Problem(401, said, {"WWW-Authenticate": "Bearer"})
        given = claims.get(self._settings.groups_claim, ())
        groups = (given,) if isinstance(given, str) else given if isinstance(given, list) else ()
        # The share of the server is that of the user, whatever token is sent.
        share = hashlib.sha256(f"{claims['iss']}\n{claims['sub']}".encode()).hexdigest()
        rights = Rights(user.strip(), tuple(group for group in groups if isinstance(group, str)))
        return Token(user.strip(), ("read",), share, "", None, rights)

    def _key(self, id: str) -> Any:
        with self._lock:
            waited = time.monotonic() - self._fetched
            known = id in self._keys or (not id and bool(self._keys))
            if waited > _FRESH or (not known and waited > _PATIENCE):
                try:
                    self._fetch()
                except InvalidInput as error:
                    log.warning("%s", error)
                    # Keys that are known stay good: a provider that is away for a while locks nobody out.
                    if not self._keys:
                        raise Problem(*_AWAY) from None
            if not id and len(self._keys) == 1:
                # A provider with a single key need not name it.
                return next(iter(self._keys.values()))
            if id not in self._keys:
                raise jwt.InvalidKeyError("it is signed with a key that the provider does not publish")
            return self._keys[id]

    def _fetch(self) -> None:
        self._fetched = time.monotonic()
        issuer = self._settings.issuer
        about = _get(f"{issuer.rstrip('/')}/.well-known/openid-configuration")
        if about.get("issuer") != issuer:
            raise InvalidInput(f"the provider calls itself {about.get('issuer')!r:.200}; give that as --oidc-issuer")
        try:
            published = jwt.PyJWKSet.from_dict(_get(str(about.get("jwks_uri", ""))))
        except (jwt.PyJWTError, AttributeError, TypeError) as error:
            raise InvalidInput(f"the keys of {issuer} cannot be used: {error}") from error
        self._keys, self._about = {key.key_id or "": key for key in published.keys}, about


def check_url(url: str) -> str:
    """Return the URL of a provider, or raise: keys must not come over a connection that others can change."""
    parts = urlsplit(url)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in (*LOOPBACK, "localhost")):
        raise InvalidInput(f"the provider must be at an https:// URL (http:// only on this machine), got {url!r:.200}")
    return url


def _get(url: str) -> dict[str, Any]:
    return _read(Request(check_url(url)))  # noqa: S310 - the scheme is checked


def _read(request: Request) -> dict[str, Any]:
    url = request.full_url
    try:
        with urlopen(request, timeout=_SECONDS) as response:  # noqa: S310 - the scheme is checked
            parsed = json.loads(response.read(_MOST_BYTES))
    except (OSError, ValueError) as error:
        raise InvalidInput(f"the sign-in provider cannot be read at {url:.200}: {cause(error)}") from error
    if not isinstance(parsed, dict):
        raise InvalidInput(f"the sign-in provider does not answer with a JSON object at {url:.200}")
    return parsed
