"""What reports that work failed is never an objective; work on such a failure may be."""

from time import process_time

import pytest

from recalld.continuity.guard import is_poison

FAILURES = """
Not logged in · Please run /login|Not logged in|You are not logged in.|Please run /login|/login
run /login to continue|Unknown skill: continuity|Unknown skill: /mc|Unknown slash command: foo
Session expired|Your session has expired. Please log in again.
session expired, please log in again|Auth failed|Authentication failed
authentication failed: invalid token|Login failed|OAuth token has expired
OAuth token has expired. Please run /login|Invalid API key|Invalid API key · Please run /login
API key not found|error timeout|Error: timeout|Request timed out.|Request timed out
connection timeout|Timeout error|Error: Request timed out after 600 s|rate limit exceeded
Rate limit reached|Error: rate limit exceeded. Please try again later.
You've hit your usage limit · resets 5pm|You've hit your session limit. Try again at 3pm
Too many requests|429 Too Many Requests|Credit balance is too low|Insufficient credits
quota exceeded
API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}
API Error (500 Internal Server Error)|API Error: Request was aborted.
API error: 401 {"error": "unauthorized"}|Server error: 503|HTTP error 502|Error 500
500 Internal Server Error|401 Unauthorized|Unauthorized|Access denied|Overloaded
Service temporarily unavailable|the model is overloaded, please try again later
[Request interrupted by user]|[Request interrupted by user for tool use]|Prompt is too long
An unexpected error occurred.|Something went wrong|ECONNREFUSED|fetch failed|Connection reset
HEARTBEAT_OK|NO_REPLY|**Error**: Authentication required|❌ Login required|⚠️ Session timed out
登录已过期|登录已过期，请重新登录|登录状态已失效|会话已过期|会话已过期，请重新登录。|请先登录
请重新登录|未登录|您尚未登录|还没有登录|认证失败|身份验证失败|授权已过期|令牌已失效|token 已过期
token已失效，请重新登录|API 密钥无效|请求超时|请求超时，请稍后再试|连接超时|网络错误
网络异常，请重试|请求过于频繁|请求过于频繁，请稍后再试|已达到速率限制|超出使用额度|余额不足
额度已用完|触发限流|服务器繁忙|系统繁忙，请稍后再试|服务不可用|服务器内部错误|错误：请求失败
未知技能：mc|未知命令|API 错误：500|接口异常|出错了|發生未知錯誤|登錄已過期，請重新登錄|請先登錄
認證失敗|無權限
"""
WORK = """
Fix the session expired error on the login page
Session expired shows up after five minutes, find out why|Add a rate limit to the public API
Rate limit the export endpoint to 10 requests a second
Write tests for authentication failed responses|Implement login with GitHub
The timeout of the proxy should be 30 seconds|Handle API errors in the importer
API error handling needs a rewrite|Translate the text Not logged in
Not logged in users must see the landing page|Make unknown skill names suggest the nearest one
timeout handling in the client|Retry on 429 in the fetcher
error timeout values should come from the config file|document the /login route
Investigate why requests time out on Mondays|add an unauthorized page
Log in to the staging server and restart the worker|Reduce server errors by half
rename the permission denied exception|Migrate the invoice export
session handling: move it to Redis|Please log in to the server and check the disk
retry the failed uploads and report|Deploy the access denied page|修复登录已过期的提示
登录页面改版|给接口加限流|排查请求超时的原因|把网络错误的提示改成中文|实现未登录跳转
写一个检查余额不足的脚本|会话过期时间改成两小时|认证失败时要重试三次|服务器错误日志分析
登录后跳转到首页|请先登录跳板机再部署|处理请求失败的重试逻辑|迁移发票导出|优化系统繁忙时的提示页
"""


def _rows(table: str) -> list[str]:
    return [row for row in table.replace("\n", "|").split("|") if row]


@pytest.mark.parametrize("text", _rows(FAILURES))
def test_a_report_of_a_failure_is_poison_c6_6(text: str):
    assert is_poison(text)
    assert is_poison(f"\n> {text}\n")


@pytest.mark.parametrize("text", _rows(WORK))
def test_work_on_a_failure_is_none_c6_6(text: str):
    assert not is_poison(text)


def test_several_reports_are_one_and_work_among_them_is_work():
    assert is_poison("Error: authentication failed\nPlease run /login")
    assert not is_poison("Error: authentication failed\nFix the token refresh in the client")


@pytest.mark.parametrize("text", ["", " ", "...", "Error", "错误", "---", "ok", "1", "500"])
def test_words_that_report_nothing_are_none(text: str):
    assert not is_poison(text)


def test_a_users_patterns_are_found_anywhere_in_any_case():
    assert is_poison("Please do the Daily STANDUP now", ("daily standup",))
    assert is_poison("生成每日站会摘要", ("每日站会",))
    assert not is_poison("Ship the export", ("daily standup", " "))


def test_wrappers_of_a_host_do_not_hide_it_c6_5():
    wrapped = 'Sender (untrusted metadata):\n```json\n{"label": "Ann"}\n```\n\nNot logged in'
    assert is_poison(wrapped)


@pytest.mark.parametrize(
    "piece", ["error ", "请", "not ", "0", "[", "{", "please ", "api error ", "的", "(request "]
)
def test_hostile_texts_are_judged_fast(piece: str):
    started = process_time()
    for size in (50, 100, 200, 100_000):
        is_poison(piece * size)
    assert process_time() - started < 1
