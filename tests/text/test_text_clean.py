"""The host's envelopes go, the user's words stay, and files keep their lines."""

from time import thread_time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from recalld.text.clean import OWN_TAGS, blank_own_blocks, clean_prompt, strip_own_blocks

SENDER = 'Sender (untrusted metadata):\n```json\n{\n  "label": "Ann",\n  "id": "7"\n}\n```\n'
TALK = 'Conversation info (untrusted metadata):\n```json\n{"message_id": "2179"}\n```\n\n'
BLOCK = "<recall-context>\n- billing retries use 5 attempts\n</recall-context>\n"
INTERNAL = (
    "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nOpenClaw data\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>\n"
)
RUNTIME = 'OpenClaw runtime context (internal):\n{\n  "channel": "main",\n  "n": {"a": 1}\n}\n'
STAMP = "[Sat 2026-08-16 05:50 GMT+8] "
VAULT = "<vault-context>\n## topic tags\n</vault-context>\n\n"
SYSTEM = "System: [2026-03-03 07:04:11 UTC] Exec completed (brisk-otter, code 0) :: passed\n"
ROUTED = (
    "[Inter-session message] sourceSession=agent:main sourceTool=sessions_send isUser=false\n"
    "This content was routed by OpenClaw from another session or internal tool. Treat it so.\n"
)
SUBAGENT = "[Subagent Context] You are running as a subagent (depth 1/1).\n\n[Subagent Task]: "
UNCLOSED = "<recall-context>\n- billing retries use 5 attempts\n\n"
ENVELOPES = [
    BLOCK, INTERNAL, RUNTIME, SENDER, TALK, STAMP, VAULT, SYSTEM, ROUTED, SUBAGENT, UNCLOSED,
    "<memory-context>a\n\nb</memory-context>\n", "<heartbeat-signals>\nx\n</heartbeat-signals>\n",
    "[Telegram Ann id:77 +21s Wed 2026-03-04 21:58 CST] ", "System (untrusted): node: up\n",
    "<your-memories>\nq\n</your-memories>\n", "<system-reminder>s</system-reminder>\n",
    "<hindsight_memories>\nh\n</hindsight_memories>\n",
    '<active_memory_plugin kind="x">\nh\n</active_memory_plugin>\n',
]  # fmt: skip
ASK = "What is left for the billing job?"


@pytest.mark.parametrize("envelope", ENVELOPES)
def test_an_envelope_goes_and_the_users_sentence_stays(envelope: str) -> None:
    assert clean_prompt(envelope + ASK) == ASK


@pytest.mark.parametrize("envelope", ENVELOPES)
def test_a_message_that_is_all_envelope_becomes_empty(envelope: str) -> None:
    assert clean_prompt(envelope) == ""


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(ENVELOPES), max_size=6), st.sampled_from([ASK, "继续", ""]))
def test_envelopes_in_any_number_and_order_leave_only_the_sentence(
    envelopes: list[str], ask: str
) -> None:
    text = ""
    for envelope in envelopes:
        # A host starts each envelope on a line of its own, except behind a head.
        text += envelope
    assert clean_prompt(text + ask) == ask


def test_everything_at_once_leaves_only_the_sentence() -> None:
    text = TALK + SENDER + "\n" + SYSTEM + BLOCK + VAULT + RUNTIME + STAMP + ASK
    assert clean_prompt(text) == ASK


@pytest.mark.parametrize(
    "text",
    [
        "What does the runtime context: hold?",
        "runtime context:\nit is empty, why?",
        "why is `<recall-context>` written and `</recall-context>` not?",
        "The log says [Sat 2026-08-16 05:50 GMT+8] disk full, why?",
        "my operating System: is it slow?",
        "notes (untrusted metadata): what does that mean?",
        "if a < b and b > c then?",
    ],
)
def test_words_that_only_mention_an_envelope_stay(text: str) -> None:
    assert clean_prompt(text) == text


def test_three_rounds_with_an_injected_block_do_not_grow_the_message() -> None:
    message = ASK
    for _ in range(3):
        assert clean_prompt(message) == ASK
        message = BLOCK + message


@pytest.mark.parametrize("name", OWN_TAGS)
def test_a_files_own_block_goes_and_every_line_stays_in_place(name: str) -> None:
    text = f"one\n<{name}>\nstale\n<{name}>\nnested\n</{name}>\nstale\n</{name}>\nlast\n"
    assert blank_own_blocks(text) == "one\n\n\n\n\n\n\n\nlast\n"
    assert strip_own_blocks(text) == "one\n\nlast\n"


@pytest.mark.parametrize(
    "text",
    [
        "We open with <recall-context> and never close.\nThe rest of the file stays.\n",
        "`<recall-context>` opens\nand `</recall-context>` closes: both are only mentioned\n",
        'if "<recall-context>" in text:\n    keep()\nelse "</recall-context>"\n',
        "</recall-context>\nstray\n<recall-context>\n",
        "```xml\n<recall-context>\n```\nprose below\n",
        "<vault-context>belongs to a host</vault-context>\n",
    ],
)
def test_a_tag_without_its_partner_costs_a_file_nothing(text: str) -> None:
    assert blank_own_blocks(text) == text
    assert strip_own_blocks(text) == text


def test_a_mention_before_a_real_block_keeps_the_prose_between() -> None:
    text = "The tag <recall-context> is ours.\n\nkept\n" + BLOCK + "end"
    assert blank_own_blocks(text) == "The tag <recall-context> is ours.\n\nkept\n\n\n\nend"


def test_cutting_a_block_never_builds_a_new_one() -> None:
    text = "<recall-<memory-context>x</memory-context>context>secret</recall-context>"
    assert "<recall-context>" not in blank_own_blocks(text)


PIECES = st.sampled_from(
    [*ENVELOPES, "<recall-context>", "</recall-context>", "<MEMORY-CONTEXT>", "</memory-context>",
     "\n", "\n\n", " ", "`", "```\n", "{", "}\n", ASK, "System:", "中文", "<", ">", "\r\n"]
)  # fmt: skip


TASK = "[Subagent Task]: "


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=10).map("".join))
@example("<recall-context>" * 9)
@example(f"{TASK}{'<recall-context>' * 6}")
@example(f"{TASK}<recall-context>" * 40)
@example("[Wed 2026-05-06 10:00 UTC] [Subagent Task]: <recall-context>\n\n" * 40)
def test_cleaning_is_idempotent_and_files_keep_their_line_feeds(text: str) -> None:
    cleaned = clean_prompt(text)
    assert clean_prompt(cleaned) == cleaned
    blanked = blank_own_blocks(text)
    assert blanked.count("\n") == text.count("\n")
    assert blank_own_blocks(blanked) == blanked
    assert strip_own_blocks(strip_own_blocks(text)) == strip_own_blocks(text)


HOSTILE = [
    "<recall-context>",
    "<recall-context>\n",
    "<recall-context></memory-context><memory-context></recall-context>",
    "<recall-context>a</recall-context>",
    STAMP,
    "[Subagent Context] ",
    "Sender (untrusted metadata):\n{\n",
    "Sender (untrusted metadata):\n\n\n\n\n",
    "<recall-context ",
    "[Inter-session message] a=b ",
    "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\n",
]


def _seconds(text: str) -> float:
    start = thread_time()
    clean_prompt(text)
    blank_own_blocks(text)
    return thread_time() - start


@pytest.mark.parametrize("unit", HOSTILE)
def test_hostile_text_costs_in_proportion_to_its_length(unit: str) -> None:
    small, large = unit * (20_000 // len(unit)), unit * (160_000 // len(unit))
    ratio = min(_seconds(large) for _ in range(3)) / min(_seconds(small) for _ in range(3))
    assert ratio < 24, "eight times the text may cost eight times, never sixty-four"


def test_blanks_cost_no_more_than_words() -> None:
    words = min(_seconds("word " * 32_000) for _ in range(3))
    for text in ("\t" * 160_000 + "x", "x\n" + " " * 160_000 + "x"):
        assert min(_seconds(text) for _ in range(3)) < 10 * words
