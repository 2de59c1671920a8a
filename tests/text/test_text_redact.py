"""Secrets disappear, what only resembles them stays."""

import base64
import json
from pathlib import Path
from time import thread_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recalld.text.redact import redact

BODY = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW"
PEM = f"-----BEGIN OPENSSH PRIVATE KEY-----\n{BODY}\n{BODY}\n-----END OPENSSH PRIVATE KEY-----"

# kind, the secret, a text around it
SECRETS = [
    ("aws_key", "AKIAQ3EGRJZ7WLK2M5TN", "id {} in the note"),
    ("aws_key", "ASIAQ3EGRJZ7WLK2M5TN", "X-Amz-Id={}/20260301/eu-west-1"),
    ("secret", "k9Zr2Lw8Xq4Vb1Nc7Md3Fs6Gh5Jt0PyUaReIoTb", "aws_secret_access_key = {}"),
    ("github_token", "ghp_16C7e42F292c6912E7710c838347Ae178B4a", "git clone with {}"),
    ("github_token", "gho_16C7e42F292c6912E7710c838347Ae178B4a", "({})"),
    ("github_token", "ghs_16C7e42F292c6912E7710c838347Ae178B4a", "export X={}"),
    ("github_token", "github_pat_11AAAAAAA0abcdEFGHijkl_MNOpqrs", "用 {} 登录"),
    ("api_key", "sk-live-Zx81QmPd77TyLw02KcVb93HnRr45", "the pager key is {} please"),
    ("api_key", "sk-proj-aB3dE5gH7jK9mN1pQ3sT5vX7", "密钥{}。"),
    ("api_key", "sk-ant-api03-aB3dE5gH7jK9mN1pQ3sT5vX7-zz_1", "{}"),
    ("api_key", "sk-aB3dE5gH7jK9mN1pQ3sT5vX7", "https://x.test/?k%3D{}"),
    ("stripe_key", "sk_live_4eC39HqLyjWDarjtT1zdp7dc", "stripe: {}"),
    ("webhook_secret", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "{}"),
    ("hf_token", "hf_aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789", "login --with {}"),
    ("google_key", "AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY", "key={}&q=1"),
    ("slack_token", "xoxb-123456789012-123456789012-aBcDeFgHiJkLmNoPqRsT", "bot {}"),
    ("slack_token", "xapp-1-A0123BCDEFG-1234567890-abc123def456", "app {}"),
    ("gitlab_token", "glpat-aB3dE5gH7jK9mN1pQ3sT", "{}"),
    ("npm_token", "npm_aB3dE5gH7jK9mN1pQ3sT5vX7yZ9bC1dE3fG5", "//registry:{}"),
    (
        "jwt",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9",
        "{}",
    ),
    ("bearer", "mF9B5f41JqM7x0aQ2z", "curl -H 'X-Auth: Bearer {}'"),
    ("authorization", "dXNlcjpodW50ZXIy", "Authorization: Basic {}"),
    ("authorization", "8f3kd93kd02ldk39", '"authorization": "{}"'),
    ("url_password", "s3cretpw", "postgres://app:{}@db.local/main"),
    ("url_password", "p@ss-w0rd", "redis://:{}@cache:6379"),
    ("secret", "Xk29vQmR7tLp4WzB", "DB_PASSWORD={}"),
    ("secret", "Xk29vQmR7tLp4WzB", 'password: "{}"'),
    ("secret", "Xk29vQmR7tLp4WzB", "client_secret => '{}'"),
    ("secret", "Xk29vQmR7tLp4WzB", "the token is {} for now"),
    ("secret", "Xk29vQmR7tLp4WzB", "数据库密码：{}"),
    ("secret", "Xk29vQmR7tLp4WzB", "密码是{}，别外传"),
    ("secret", "Xk29vQmR7tLp4WzB", "deploy --api-token {} now"),
    ("secret", "9c1185a5c5e9fc54612808977ee8f548", "api_key = {}"),
    ("secret", "hunter2secret", "password={}"),
    ("secret", "hunter2", "password: {}"),
    ("secret", "hunter2secret", "DB_PASSWORD_PROD={}"),
    ("secret", "hunter2secret", "mysql --password={} --host db"),
    ("secret", "hunter2secret", '{{"user": "app", "password": "{}"}}'),
    ("secret", "s!mplepw", "passwd = '{}'"),
    ("secret", "123456", "pwd:{}"),
    ("secret", "open#sesame", "passphrase := {}"),
    ("secret", "hunter2secret", "- **Password:** {}"),
    ("secret", "hunter2secret", "password: `{}`"),
    ("secret", "hunter2secret", "the password (staging): {} for now"),
    ("secret", "walrus99", "密码：{}，别外传"),
    ("secret", "walrus99", "密碼是{}。"),
    ("secret", "walrus99", "口令是 {}"),
    ("secret", "walrus99", "密码（wifi）：{}"),
    ("private_key", PEM, "before\n{}\nafter"),
    ("age_key", "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZ", "{}"),
]

INNOCENT = [
    "ordinary prose about tokens, secrets and passwords, nothing else",
    "commit 2fd4e1c67a2d28fced849ee1bb76e7391b93eb12 fixed the token refresh",
    "request 550e8400-e29b-41d4-a716-446655440000 failed",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8",
    "pip install sk-learn-contrib-extensions-and-more",
    "the task-force risk-assessment disk-encryption-at-rest-everywhere",
    "tokenizer: bert-base-multilingual-cased-v2",
    "max_tokens: 4096, token_count = 123456789012",
    "password: required",
    "password: see vault",
    "Password: Required!",
    "password: see-vault, or ask ops",
    "password: n/a, yes/no, a|b",
    "password: abc12",
    "password: string | null",
    "password: string|undefined;",
    "password: Optional[str] = None",
    "password = get_password_2(name)",
    "password: z.string().min(8)",
    "password = os.environ['DB_PASSWORD_2']",
    "password=$DB_PASSWORD2",
    ":type passphrase: :py:data:",
    "UPDATE users SET password = :password2",
    "password: scram-sha-256",
    "password: argon2id",
    "password: base64-encoded",
    "password: 8-16 characters",
    "password: 12+chars",
    "password_changed_at: 2026-03-01T10:00:00",
    "password_min_length = 120000",
    "PWD=/srv/build/main2/Src",
    "pwd: C:\\Users\\ann2",
    "password: ********",
    "login?password=&user=ann2",
    "密码：见保险箱",
    "密码：见第3个保险箱",
    "密码是6位数字",
    "密码长度：8-16位",
    "密码锁型号：ABC-12345",
    "口令：芝麻开门",
    "token=tok12345",
    "the password is required for every administrator",
    "token = get_token_from_environment_2(name)",
    "secret = settings.AUTH.SECRET_VALUE_V2",
    "password: ${DB_PASSWORD_PRODUCTION_1}",
    'api_key = os.environ["OPENAI_API_KEY_2"]',
    "token: <your-github-token-1-here>",
    "basic understanding of internationalisation",
    "bearer authentication-scheme-negotiation is optional",
    "ssh://git@github.com/owner/name.git and https://example.com:8080/a@b",
    "postgres://app:${PGPASSWORD}@db.local/main",
    "from hf_hub_download_utilities_and_more import x",
    "密码学是一门学科，密钥管理很重要",
    "忘记密码怎么办？口令是什么意思",
    "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUZ\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----",
    "PRIVATE KEY files start with BEGIN and end with END",
    "credential-helper: store",
]


@pytest.mark.parametrize(("kind", "secret", "around"), SECRETS)
def test_a_secret_is_replaced_by_its_kind(kind: str, secret: str, around: str) -> None:
    result = redact(around.format(secret))
    assert secret not in result.text
    assert result.kinds == (kind,)
    before, after = around.format("\0").split("\0")
    assert result.text.startswith(before)
    assert result.text.endswith(after)
    assert f"[redacted:{kind}:" in result.text


@pytest.mark.parametrize("text", INNOCENT)
def test_what_only_resembles_a_secret_stays(text: str) -> None:
    result = redact(text)
    assert result.text == text
    assert result.kinds == ()


def test_equal_secrets_get_equal_placeholders_and_another_key_gives_another() -> None:
    one = redact("a sk-live-Zx81QmPd77TyLw02KcVb93HnRr45 b").text
    two = redact("a sk-live-Zx81QmPd77TyLw02KcVb93HnRr46 b").text
    assert one == redact("a sk-live-Zx81QmPd77TyLw02KcVb93HnRr45 b").text
    assert one != two
    assert one != redact("a sk-live-Zx81QmPd77TyLw02KcVb93HnRr45 b", key=b"mine").text


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (f"x\n-----BEGIN RSA PRIVATE KEY-----\n{BODY}\n{BODY}", ["x"]),
        (f"-----BEGIN PRIVATE KEY-----\r\n{BODY}\r\n\r\nand then we met", ["and then we met"]),
        (f"-----BEGIN PRIVATE KEY-----{BODY}", []),
        (f'"-----BEGIN PRIVATE KEY-----\\n{BODY}\\n{BODY}', []),
        (f"> -----BEGIN PRIVATE KEY-----\n> {BODY}\n> {BODY}\nwords follow here", ["words follow"]),
        (
            f"-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES\n\n{BODY}",
            [],
        ),
    ],
)
def test_an_unterminated_private_key_loses_its_whole_body_and_nothing_else(
    text: str, kept: list[str]
) -> None:
    result = redact(text)
    assert BODY not in result.text
    assert "DEK-Info" not in result.text
    assert all(words in result.text for words in kept)
    assert result.text.count("\n") == text.count("\n")


def test_prose_after_a_mentioned_key_header_stays() -> None:
    text = "A file that starts with -----BEGIN PRIVATE KEY----- is a key.\nKeep it safe, please."
    assert redact(text).text.endswith(" is a key.\nKeep it safe, please.")


def test_a_pasted_key_leaves_the_rest_of_the_sentence() -> None:
    parts = ["the pager key is sk-", "live-", "Zx81QmPd77TyLw02", "KcVb93HnRr45 "]
    text = "".join(parts) + "please remember that the pager rota starts on Monday"
    result = redact(text).text
    assert result.startswith("the pager key is [redacted:api_key:")
    assert result.endswith("] please remember that the pager rota starts on Monday")
    assert not any(part in result for part in ("live-", "Zx81QmPd77TyLw02", "KcVb93HnRr45"))


def test_a_secret_longer_than_its_bound_leaves_no_tail() -> None:
    secret = "".join(f"aB{n:03d}" for n in range(400))
    assert redact(f"token={secret} end").text.count("aB") == 0
    assert redact(f"sk-{secret} end").text.endswith("] end")


def test_the_two_key_files_of_the_bad_inputs_lose_their_secrets(eval_data: Path) -> None:
    lines = (eval_data / "bad-inputs.jsonl").read_text(encoding="utf-8").split("\n")
    rows = [json.loads(line) for line in lines if line]
    files = {r.get("name"): base64.b64decode(r["bytes_b64"]) for r in rows if r.get("bytes_b64")}
    aws = redact(files["aws.md"].decode()).text
    assert "AKIA" not in aws
    assert aws.startswith("aws_access_key_id = [redacted:aws_key:")
    assert "aws_secret_access_key = [redacted:secret:" in aws
    key = files["key.md"].decode()
    assert not any(line and line in redact(key).text for line in key.splitlines())


PIECES = st.sampled_from(
    [s for _, s, _ in SECRETS]
    + INNOCENT
    + ["token", "password", "=", ": ", '"', "'", "\n", "\r\n", "\r", " ", "://", "@", "[redacted:"]
    + ["-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "Bearer ", "İ", "\ud800", "是"]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES | st.text(max_size=12), max_size=12).map("".join))
def test_redaction_keeps_every_line_end_and_is_idempotent(text: str) -> None:
    once = redact(text)
    assert once.text.count("\n") == text.count("\n")
    assert once.text.count("\r") == text.count("\r")
    again = redact(once.text)
    assert again.text == once.text
    assert again.kinds == ()


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(SECRETS), st.text(" \n.,;中文abc", max_size=20))
def test_a_secret_is_found_wherever_it_stands(row: tuple[str, str, str], around: str) -> None:
    _, secret, template = row
    lead = around if around.endswith((" ", "\n", ".", ",", ";")) else around + " "
    assert secret not in redact(lead + template.format(secret) + " " + around).text


ADVERSARIAL = [
    "token=" * 4,
    "a" * 10 + "://",
    "://a:",
    "eyJ" * 8 + "-",
    "-----BEGIN PRIVATE KEY-----\n",
    "-----BEGIN PRIVATE KEY-----\nAAAA\n\n",
    "authorization: bearer ",
    "password is ",
    "sk-",
    "password=a1",
    "password=a1b2c3 ",
    "password (",
    "pwd:`",
    "密码：",
    "xox",
    '"' * 8,
    "secret: " + "[" * 12,
]


def _seconds(text: str) -> float:
    start = thread_time()
    redact(text)
    return thread_time() - start


@pytest.mark.parametrize("unit", ADVERSARIAL)
def test_hostile_text_costs_in_proportion_to_its_length(unit: str) -> None:
    small, large = unit * (20_000 // len(unit)), unit * (160_000 // len(unit))
    ratio = min(_seconds(large) for _ in range(3)) / min(_seconds(small) for _ in range(3))
    assert ratio < 24, "eight times the text may cost eight times, never sixty-four"
