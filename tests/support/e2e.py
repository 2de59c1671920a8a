"""Notes with one fact a topic, in English and Chinese, and clients that time their answers."""

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support.daemon import Process, request

LATEST_KILL_S = 30.0

TOPICS = (
    ("invoice exporter", "发票导出器"),
    ("freezer alarm", "冷柜报警"),
    ("payment gateway", "支付网关"),
    ("search crawler", "搜索爬虫"),
    ("badge printer", "工牌打印机"),
    ("night backup", "夜间备份"),
    ("route planner", "路线规划"),
    ("thumbnail worker", "缩略图任务"),
    ("tenant billing", "租户账单"),
    ("sensor bridge", "传感器网桥"),
    ("login throttle", "登录限流"),
    ("stock counter", "库存盘点"),
    ("parcel tracker", "包裹追踪"),
    ("speech decoder", "语音解码"),
    ("survey mailer", "问卷邮件"),
    ("ledger archive", "账本归档"),
    ("canary rollout", "金丝雀发布"),
    ("quota monitor", "配额监控"),
    ("map renderer", "地图渲染"),
    ("ticket triage", "工单分派"),
    ("audio mixer", "音频混音"),
    ("contract parser", "合同解析"),
    ("ferry schedule", "渡轮时刻表"),
    ("cache warmer", "缓存预热"),
    ("price feed", "报价推送"),
)
YES = (
    "what did we decide last time about the {}?",
    "上次我们关于{}定了什么？",
)
UNCERTAIN = (
    "continue with the {}",
    "继续{}那件事",
)


def write_notes(folder: Path) -> None:
    """A file a topic with the decision about it, in both languages."""
    (folder / "memory").mkdir(parents=True)
    for number, (english, chinese) in enumerate(TOPICS):
        text = (
            f"# {english}\n\nWe decided that the {english} listens on port {9_100 + number}"
            f" and retries {2 + number} times.\n\n"
            f"## {chinese}\n\n我们定了{chinese}的超时是{30 + number}秒，由第{1 + number}组负责。\n"
        )
        (folder / "memory" / f"{english.replace(' ', '-')}.md").write_text(text, encoding="utf-8")


def prompts() -> list[str]:
    """One hundred different ones, in turns: yes and uncertain, English and Chinese."""
    return [
        form.format(topic[language])
        for topic in TOPICS
        for forms in (YES, UNCERTAIN)
        for language, form in enumerate(forms)
    ]


@dataclass(kw_only=True)
class Timed:
    """Answers in the order of the questions, and how long each took."""

    results: list[dict[str, Any]] = field(default_factory=list)
    took_ms: list[float] = field(default_factory=list)

    def summary(self) -> str:
        statuses = Counter(result["status"] for result in self.results)
        return f"longest of {len(self.took_ms)}: {max(self.took_ms):.1f} ms, {dict(statuses)}"

    def latest(self, limit_ms: float) -> str:
        """Those over the limit, with what the daemon says of their stages."""
        late = [
            f"{took_ms:.0f} ms: {result['elapsed_ms']:.0f} ms {result['stages']}"
            for result, took_ms in zip(self.results, self.took_ms, strict=True)
            if took_ms > limit_ms
        ]
        return "\n".join(late)


def ask_all(
    daemon: Process,
    texts: Sequence[str],
    *,
    lanes: int,
    each: Callable[[int], dict[str, str]] = lambda _: {},
    **params: Any,
) -> Timed:
    """Every text as a prompt, ``lanes`` at a time, each lane on a connection of its own.

    ``each``: further parameters of the text at that place.
    """
    answers: list[tuple[dict[str, Any], float] | None] = [None] * len(texts)

    def lane(start: int) -> None:
        with daemon.peer() as peer:
            for at in range(start, len(texts), lanes):
                line = request("session.prompt", at, text=texts[at], **params, **each(at))
                began = time.perf_counter()
                peer.say(line)
                reply = peer.line()
                took_ms = (time.perf_counter() - began) * 1_000
                assert reply is not None
                answers[at] = decoded(reply), took_ms

    in_threads(lane, lanes)
    timed = Timed()
    for answer in answers:
        assert answer is not None
        timed.results.append(answer[0])
        timed.took_ms.append(answer[1])
    return timed


def decoded(reply: bytes) -> dict[str, Any]:
    message = json.loads(reply)
    assert "result" in message, message
    result: dict[str, Any] = message["result"]
    return result


def in_threads(work: Callable[[int], None], count: int) -> None:
    """``work(0)`` to ``work(count - 1)`` at once; the first failure is raised."""
    failures: list[BaseException] = []

    def run(number: int) -> None:
        try:
            work(number)
        except BaseException as error:  # noqa: BLE001  it is raised in the test
            failures.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def until(claim: Callable[[], bool], *, what: str, within_s: float = 15.0) -> None:
    """Wait for ``claim``; the test fails when it does not come true."""
    pause, deadline = threading.Event(), time.monotonic() + within_s
    while not claim():
        assert time.monotonic() < deadline, f"{what} did not come within {within_s} s"
        pause.wait(0.05)


def kill_behind(daemon: Process, heard: threading.Semaphore, *, count: int) -> None:
    """Kill the daemon once ``heard`` was released so often, or after ``LATEST_KILL_S``.

    A kill behind a time instead finds a slow disk before its first acknowledgement.
    """
    until_s = time.monotonic() + LATEST_KILL_S
    for _ in range(count):
        if not heard.acquire(timeout=max(0.0, until_s - time.monotonic())):
            break
    daemon.child.kill()


class Beside:
    """Pings and naps on threads of their own, to tell the daemon's delays from the machine's."""

    def __init__(self, daemon: Process) -> None:
        self._daemon = daemon
        self._stop = threading.Event()
        self.ping_ms: list[float] = []
        self.overslept_ms: list[float] = []
        self.lag_ms = 0.0
        self._threads = [threading.Thread(target=work) for work in (self._ping, self._nap)]

    def __enter__(self) -> "Beside":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()
        self.lag_ms = self._daemon.call("status")["loop_lag_max_ms"]

    def summary(self) -> str:
        return (
            f"beside them ping {max(self.ping_ms):.1f} ms,"
            f" oversleeping {max(self.overslept_ms):.1f} ms, the loop's longest step so far"
            f" {self.lag_ms:.0f} ms"
        )

    def _ping(self) -> None:
        with self._daemon.peer() as peer:
            while not self._stop.wait(0.02):
                began = time.perf_counter()
                peer.result("ping")
                self.ping_ms.append((time.perf_counter() - began) * 1_000)

    def _nap(self) -> None:
        while True:
            began = time.perf_counter()
            if self._stop.wait(0.005):
                return
            self.overslept_ms.append((time.perf_counter() - began) * 1_000 - 5)
