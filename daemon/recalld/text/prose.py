"""What somebody says themselves, without the code, quotes and material they hand over.

Only for deciding what a message wants; never for storing or searching. Linear in the text.
"""

import re
from collections.abc import Iterator

_FENCE = re.compile(r"[ \t]{0,3}(?:```|~~~)")
_INLINE_CODE = re.compile(r"``[^\n]{1,500}?``|`[^`\n]{1,500}`")
_QUOTED = re.compile(
    r"“[^“”]{1,2000}”|「[^「」]{1,2000}」|『[^『』]{1,2000}』|《[^《》\n]{1,200}》|«[^«»]{1,2000}»"
    r"|(?<![\w\"])\"[^\"\n]{1,1000}\"|‘[^‘’\n]{1,500}’(?!\w)|(?<![\w'])'[^'\n]{1,500}'(?!\w)"
)
_QUOTED_LINE = re.compile(r"[ \t]*(?:>|\$ |❯|#\s?!|\.\.\. )")
_ERROR_LINE = re.compile(
    r"[ \t]*(?:(?:\w+\.){0,6}[A-Za-z]\w*(?:Error|Exception|Warning)\b.{0,3}[:(]"
    r"|Traceback |File \"|at \S+\(|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d"
    r"|(?:ERROR|WARN|WARNING|INFO|DEBUG|FATAL)\b)"
)
_CODE_LINE = re.compile(
    r"(?:[ \t]*(?:(?:async )?def |class \w+[(:]|from [\w.]+ import |import [\w.{*]|return\b|elif "
    r"|else:|try:|except\b|#include|#define|const |let |var |function\b|public |private |package "
    r"|func |fn |use \w+::|SELECT |INSERT |UPDATE |<\/?\w+[^<>]{0,200}>[ \t]*$|@\w+|\"\"\"|'''|//)"
    r"|[^\n]{0,400}(?:[{};]|\) ?:|->)[ \t]*$|(?:\t| {4}))"
)
# A task, then a colon or a pointer to what comes below: from there on it is material.
_MATERIAL = re.compile(
    r"\b(?:translate|summari[sz]e|rewrite|rephrase|paraphrase|proofread|polish|classify|extract"
    r"|correct|edit|fix|improve|shorten|explain|analy[sz]e|review|convert|format|continue|complete"
    r"|read|describe|respond to|reply to|answer|given|consider)\b[^:.?!\n]{0,100}:(?=\s)"
    r"|\b(?:the following|below)\b[^:.?!\n]{0,60}[:.\n]"
    r"|(?:翻译|翻譯|总结|總結|概括|改写|改寫|润色|潤色|校对|校對|纠正|糾正|分析|提取|替换|替換|回答"
    r"|判断|判斷|分类|分類|续写|續寫|扩写|擴寫|缩写|縮寫|仿写|发表意见|解释|解釋|修改|造句|排序"
    r"|补全"
    r"|生成|阅读|閱讀|描述)[^：:。？！?\n]{0,40}[：:]"
    r"|(?:以下|下面|下列|下述|如下)[^：:。？！?\n]{0,40}[：:。\n]",
    re.I,
)
# One of these is in all such messages and in few others; it saves the search for a task.
_POINTS_ON = re.compile(r"[:：]|(?i:following|below)|[以下][下面列述]|如下")
# "write a function that ...": what the thing to be made does is not what the speaker did.
_SPECIFIED = re.compile(
    r"\b(?:write|implement|create|generate|build|make|draft|compose)\b (?:me )?(?:an?|some|the)"
    r" (?:[\w-]+ ){0,4}?(?:function|method|script|program|class|query|regex|test|poem|story|song"
    r"|essay|joke|dialogue|scene|haiku|tweet|speech|letter from|prompt)s?\b"
    r" (?:that|which|to|for|where|in which|about|who|when)\b[^.?!\n]{0,400}"
    r"|(?:写|寫|编|編|创作|創作|生成)(?:一|个|個|首|篇|段|则|則|几|幾)[^。？！?\n]{0,30}?"
    r"(?:诗|詩|故事|歌词|歌詞|作文|小说|小說|剧本|劇本|对话|對話|笑话|笑話|函数|函數|脚本|腳本)"
    r"[^。？！?\n]{0,200}",
    re.I,
)


def visible_prose(text: str) -> str:
    """The text without fenced and inline code, code and log lines, quotes and payloads.

    What is cut leaves a blank, so words around it do not join. A fence left open runs to the
    end. A payload is what follows a task and a colon ("translate: ..."), to the end.
    """
    prose = "\n".join(_spoken_lines(text))
    prose = _QUOTED.sub(" ", _INLINE_CODE.sub(" ", prose))
    material = _MATERIAL.search(prose) if _POINTS_ON.search(prose) else None
    if material is not None:
        prose = prose[: material.end()]
    return _SPECIFIED.sub(" ", prose).strip()


def _spoken_lines(text: str) -> Iterator[str]:
    lines = text.splitlines()
    has_code = sum(1 for line in lines if line.strip() and _CODE_LINE.match(line)) >= 2
    fenced = False
    trace = False
    for line in lines:
        if not line:
            trace = False
            if not fenced:
                yield line
            continue
        if _FENCE.match(line):
            fenced = not fenced
            continue
        trace = "Traceback (most recent call last)" in line or (
            trace and line.startswith((" ", "\t"))
        )
        skip = fenced or trace or _QUOTED_LINE.match(line) or _ERROR_LINE.match(line)
        if not (skip or (has_code and _CODE_LINE.match(line))):
            yield line
