"""What secrets look like: one row a shape, found by a literal stem before any pattern runs.

Every quantifier is bounded or possessive, and a pattern is tried only where its stem stands,
so the whole table is linear in the text.
"""

import math
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

# gitleaks' bound for generic rules: English words stay below, random strings of 16 above.
MIN_ENTROPY_BITS = 3.5
# Hex has four bits at most, so 32 random digits often measure below 3.5.
MIN_HEX_ENTROPY_BITS = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """Where a stem stands, the pattern is tried; a group named ``s`` narrows what is replaced."""

    kind: str
    stems: tuple[str, ...]
    pattern: re.Pattern[str]
    accept: Callable[[str], bool]
    folded: bool = False


def _always(_: str) -> bool:
    return True


_DIGIT = re.compile(r"\d")


def _mixed(value: str) -> bool:
    """True unless the value reads like words: it has a digit, or capitals inside lower case."""
    tail = value[1:]
    return tail.lower() != tail != tail.upper() or _DIGIT.search(value) is not None


def entropy_bits(value: str) -> float:
    """Shannon entropy a character, from the value's own frequencies; 0 for an empty value."""
    total = len(value)
    return -sum(n / total * math.log2(n / total) for n in Counter(value).values())


# What stands where a secret was.
PLACEHOLDER = re.compile(r"\[redacted:[a-z_]{2,20}:[0-9a-f]{4}\]")
_HEX = re.compile(r"[0-9A-Fa-f-]{32,}")
# Not secrets but the names of secrets: variables, calls, attributes, templates, paths.
_REFERENCE = re.compile(
    r"\$[{(]|\$[A-Za-z_]\w*$|%\(|%\w+%$|[{<]|\*{3}|x{6}"
    r"|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+[!?;]?$|[A-Za-z_][\w.]*[(\[]|[a-z]{2,8}:[A-Z_0-9]+$"
    r"|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$|[a-z+]{2,12}://|(?:~|\.{1,2})/|(?:/[A-Z]?[a-z0-9_.-]+)+$"
)
# Three kinds of character make a password of words too ("Correct-Horse-7"); an identifier or
# a file name with a number in it has one or two.
_IDENTIFIER = re.compile(r"[A-Za-z][a-z]*(?:[-_./ ][A-Za-z]+|[-_./]?v?\d{1,4}(?!\d))*$")


def _secret_value(value: str) -> bool:
    if PLACEHOLDER.search(value) or _REFERENCE.match(value) or _IDENTIFIER.match(value):
        return False
    if _HEX.fullmatch(value):
        return entropy_bits(value) >= MIN_HEX_ENTROPY_BITS
    return _mixed(value) and entropy_bits(value) >= MIN_ENTROPY_BITS


# What a sign joins is still words: "see-vault", "string|null", "db.password".
_WORDS_ONLY = re.compile(r"[A-Za-z]+(?:[-_./|=][A-Za-z]+)*$")
# Behind the name of a password stand paths, bind names, form fields and hashes as well.
_NO_PASSWORD = re.compile(
    r"[/~&]|[A-Za-z]:\\|:[A-Za-z_][\w:]*$|\d{1,2}(?:-\d{1,3})?[+-]?(?i:chars?|characters?|digits?"
    r"|letters?|bits?)\b|(?i:base(?:32|64|85)|utf-?(?:8|16)|(?:scram-)?sha-?\d{1,3}|pbkdf2|argon2"
    r"|bcrypt|scrypt|oauth2|md5)(?![A-Za-z]{3})[\w-]{0,12}$"
)


def _password(value: str) -> bool:
    """True for a value with a digit or a sign in it: a password however short on entropy."""
    if PLACEHOLDER.search(value) or _REFERENCE.match(value) or _NO_PASSWORD.match(value):
        return False
    return _WORDS_ONLY.match(value.strip(".,;:!?*_~-")) is None and not value.isalpha()


def _password_in_url(value: str) -> bool:
    return not (PLACEHOLDER.fullmatch(value) or value[0] in "$%{<*" or value.isdecimal())


# In front of a token: no character of a longer word, unless it ends a URL escape (%3Dsk-...).
_EDGE = r"(?:(?<![A-Za-z0-9_-])|(?<=%[0-9A-Fa-f]{2}))"
# Unquoted values are printable ASCII without quotes, brackets, comma and semicolon.
_BARE = r"[!#$%&*+./0-9:=?@A-Z\\^_a-z|~-]{8,512}"
_VALUE = rf"(?:\"(?P<d>[^\"\s]{{8,512}})\"|'(?P<q>[^'\s]{{8,512}})'|(?P<s>{_BARE}))"

# A name in full, or with what tells one password from another: password2, DB_PASSWORD_PROD.
_NAMED = (
    r"(?:(?i:password|passwd|passphrase|pwd)(?![a-z])(?:[-_]?\d{1,3})?(?:[-_](?i:prod|production"
    r"|dev|test|staging|root|admin|user|db|old|new))?|密[码碼]|口令)"
)
_SHORT = r"[!#$%&*+./0-9:=?@A-Z\\^_a-z|~-]{6,512}+(?![(\[])"
_SHORT_VALUE = (
    rf"(?:\"(?P<d>[^\"\s]{{6,512}})\"|'(?P<q>[^'\s]{{6,512}})'|[*`]{{0,2}}(?!\*)(?P<s>{_SHORT}))"
)


def _token(kind: str, stems: tuple[str, ...], body: str) -> Shape:
    return Shape(kind=kind, stems=stems, pattern=re.compile(_EDGE + body), accept=_mixed)


SHAPES: tuple[Shape, ...] = (
    Shape(
        kind="aws_key",
        stems=("A3T", "AKIA", "ASIA", "ABIA", "ACCA"),
        pattern=re.compile(
            r"(?:(?<![A-Za-z0-9])|(?<=%[0-9A-F]{2}))"
            r"(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])"
        ),
        accept=_always,
    ),
    _token("github_token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"gh._[A-Za-z0-9]{20,255}"),
    _token("github_token", ("github_pat_",), r"github_pat_[A-Za-z0-9_]{20,255}"),
    _token("gitlab_token", ("glpat-",), r"glpat-[A-Za-z0-9_-]{20,255}"),
    _token("api_key", ("sk-",), r"sk-[A-Za-z0-9_-]{16,512}"),
    _token("stripe_key", ("sk_", "rk_"), r"[sr]k_(?:live|test)_[A-Za-z0-9]{10,255}"),
    _token("webhook_secret", ("whsec_",), r"whsec_[A-Za-z0-9+/=]{16,255}"),
    _token("hf_token", ("hf_",), r"hf_[A-Za-z0-9]{20,255}"),
    _token("google_key", ("AIza",), r"AIza[A-Za-z0-9_-]{30,255}"),
    _token("google_token", ("ya29.",), r"ya29\.[A-Za-z0-9_-]{20,2048}"),
    _token("slack_token", ("xox",), r"xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,512}"),
    _token("slack_token", ("xapp-",), r"xapp-[A-Za-z0-9-]{10,512}"),
    _token("npm_token", ("npm_",), r"npm_[A-Za-z0-9]{30,255}"),
    _token("pypi_token", ("pypi-",), r"pypi-[A-Za-z0-9_-]{50,2048}"),
    _token("sendgrid_key", ("SG.",), r"SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,64}"),
    Shape(
        kind="age_key",
        stems=("AGE-SECRET-KEY-1",),
        pattern=re.compile(r"AGE-SECRET-KEY-1[A-Z0-9]{20,120}"),
        accept=_always,
    ),
    Shape(
        kind="jwt",
        stems=("eyJ",),
        pattern=re.compile(
            _EDGE + r"eyJ[A-Za-z0-9_-]{8,16384}+(?:\.[A-Za-z0-9_-]{4,16384}+){1,4}(?:\.(?!\w))?"
        ),
        accept=_always,
    ),
    Shape(
        kind="url_password",
        stems=("://",),
        pattern=re.compile(r"://[^\s/?#@\"'<>:]{0,200}+:(?P<s>[^\s/?#\"'<>]{1,200})@"),
        accept=_password_in_url,
    ),
    Shape(
        kind="authorization",
        stems=("authorization",),
        pattern=re.compile(
            r"(?i:(?:proxy-)?authorization)[\"']?[ \t]{0,8}[:=][ \t]{0,8}[\"']?"
            r"(?:(?i:bearer|basic|token|apikey|digest|negotiate)[ \t]{1,8})?"
            r"(?P<s>[A-Za-z0-9+/=._~-]{8,4096})"
        ),
        accept=_mixed,
        folded=True,
    ),
    Shape(
        kind="bearer",
        stems=("bearer ", "basic "),
        pattern=re.compile(
            r"(?<![A-Za-z0-9])(?i:bearer|basic)[ \t]{1,8}(?P<s>[A-Za-z0-9+/=._~-]{16,4096})"
        ),
        accept=_secret_value,
        folded=True,
    ),
    Shape(
        kind="secret",
        stems=(
            "password", "passwd", "passphrase", "pwd", "secret", "token", "api_key", "api-key",
            "api key", "apikey", "access_key", "access-key", "access key", "accesskey",
            "private_key", "private-key", "privatekey", "auth_key", "auth-key", "signing_key",
            "encryption_key", "credential", "密码", "密碼", "密钥", "密鑰", "口令", "令牌",
        ),
        pattern=re.compile(
            r"(?i:password|passwd|passphrase|pwd|secret|token|(?:api|access|private|auth|signing"
            r"|encryption)[-_ ]?key|credential|密[码碼钥鑰]|口令|令牌)(?![a-z])"
            r"[A-Za-z0-9_.-]{0,30}+[\"'`\])]{0,2}"
            r"(?:[ \t]{0,8}(?:=>|:=|->|[=:：＝])[ \t]{0,8}|[ \t]{1,4}(?:is|was)[ \t]{1,4}|[是为為])"
            r"[uUrRbB]?" + _VALUE
        ),
        accept=_secret_value,
        folded=True,
    ),
    Shape(
        kind="secret",
        stems=("password", "passwd", "passphrase", "pwd", "密码", "密碼", "口令"),
        pattern=re.compile(
            _NAMED + r"(?: ?[(（][^()（）\n]{1,16}[)）])?[\"'`\])*]{0,3}"
            r"[ \t]{0,8}(?:=>|:=|[=:：＝]|[是为為])[*]{0,2}[ \t]{0,8}" + _SHORT_VALUE
        ),
        accept=_password,
        folded=True,
    ),
    Shape(
        kind="secret",
        stems=("--",),
        pattern=re.compile(
            r"--(?:[a-z]{1,20}-){0,3}(?:password|passwd|passphrase|secret|token|key)"
            r"(?:-[a-z]{1,20})?[ \t]{1,4}" + _VALUE
        ),
        accept=_secret_value,
    ),
)  # fmt: skip
