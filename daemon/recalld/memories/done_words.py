"""Words of doing and of having done, English and Chinese, as data. Pure."""

# The lines of both languages are of the same doings, in the same order.
# Each line: what one intends to do | what one says when it is done. A report counts for a plan
# only if both stand on one line, or if it says no more than that something is finished.
_ENGLISH = """
fix repair resolve solve debug debugging investigate investigating | fixed repaired resolved solved
write draft document prepare finalise finalize writing | wrote written drafted documented prepared finalised finalized published
release ship deploy launch publish roll | released shipped deployed launched published live
merge land | merged landed
book reserve | booked reserved
send submit mail email file hand | sent submitted mailed emailed filed handed
buy order purchase | bought ordered purchased
build implement add create make develop introduce building implementing | built implemented added created made developed introduced
update upgrade bump migrate move port switch convert migrating | updated upgraded bumped migrated moved ported switched converted
remove delete drop | removed deleted dropped
test check verify review audit reviewing testing | tested checked verified reviewed audited
call contact ask tell | called contacted asked told
pay renew | paid renewed
refactor rewrite clean rework simplify refactoring rewriting | refactored rewritten rewrote cleaned reworked simplified
rotate replace change | rotated replaced changed
install configure set setup enable | installed configured set enabled
prepare | prepared ready
finish complete | finished completed done
close | closed
"""  # noqa: E501
_CHINESE = """
修复 修復 修正 修好 修 解决 解決 排查 调试 調試 | 修复 修復 修正 修好 修完 解决 解決
撰写 撰寫 编写 編寫 起草 写好 写 寫 | 撰写 撰寫 编写 編寫 写好 寫好 写完 寫完 写出 写 寫
发布 發布 發佈 上线 上線 部署 | 发布 發布 發佈 上线 上線 部署
合并 合併 | 合并 合併
预订 預訂 预约 預約 订 訂 | 预订 預訂 预约 預約 订好 訂好 订到 订 訂
发送 發送 提交 寄 发 發 | 发送 發送 提交 寄出 发出 發出 发给 發給 发 發 寄
购买 購買 采购 採購 买 買 | 购买 購買 采购 採購 买好 買好 买到 買到 买 買
实现 實現 开发 開發 新增 添加 增加 做 加 | 实现 實現 开发 開發 新增 添加 增加 做好 做完 加好 加上
更新 升级 升級 迁移 遷移 切换 切換 | 更新 升级 升級 迁移 遷移 切换 切換 迁完
删除 刪除 移除 去掉 | 删除 刪除 移除 去掉 删掉 刪掉
测试 測試 检查 檢查 审核 審核 评审 验证 驗證 | 测试 測試 检查 檢查 审核 審核 评审 验证 驗證 测完
联系 聯繫 通知 问 問 | 联系 聯繫 通知 问到 問到 问清
支付 缴纳 繳納 续费 續費 续订 續訂 续签 續簽 付 缴 繳 交 | 支付 缴纳 繳納 续费 續費 续订 續訂 续签 續簽 付清 付 缴 繳 交清 交
重构 重構 重写 重寫 整理 清理 | 重构 重構 重写 重寫 整理 清理
更换 更換 替换 替換 轮换 輪換 换 換 | 更换 更換 替换 替換 轮换 輪換 换好 換好 换 換
安装 安裝 配置 设置 設置 設定 启用 啟用 | 安装 安裝 配置 设置 設置 設定 启用 啟用 装好 裝好 配好
准备 準備 | 准备好 準備好 准备完 準備完
完成 | 完成
关闭 關閉 | 关闭 關閉 关掉 關掉
"""  # noqa: E501


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


Group = tuple[frozenset[str], frozenset[str]]


def _groups(lines: str) -> tuple[Group, ...]:
    halves = (line.split("|") for line in lines.strip().split("\n"))
    return tuple((frozenset(base.split()), frozenset(done.split())) for base, done in halves)


ENGLISH = _groups(_ENGLISH)
CHINESE = _groups(_CHINESE)

# These say of anything that it is finished.
FINISHED_EN = _words("finished completed complete done closed concluded")
FINISHED_ZH = ("完成", "搞定", "做完", "弄好", "办好", "辦好", "办完", "辦完")

# What people do to people: who stands in front of it did it.
TO_PEOPLE_EN = (
    "asked|called|contacted|told|emailed|mailed|sent|submitted|handed|paid|reviewed|checked|tested"
    "|verified|audited"
)
# Done by somebody else, these are lost and not done.
TAKEN_EN = "booked|reserved|bought|ordered|purchased"
DAY_EN = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"

# A report with one of these reports something else: not done, not yet, not all, not again.
BLOCKED_EN = (
    r"not|no|never|nothing|nobody|none|cannot|without|failed|fails|failing|unable|yet|still|almost"
    r"|nearly|partly|partially|half|halfway|some|except|but|however|although|though|will|would"
    r"|should|must|shall|might|(?<!\d )(?<!in )may(?! \d)|could|can|need|needs"
    r"|needed|plan|plans|planned|planning|going"
    r"|want|wants|wanted|try|trying|tried|attempted|if|when|once|unless|until|whether|about to"
    r"|start|starts|started|starting|begin|began|begun|continue|continued|reopen|reopened|revert"
    r"|reverted|undone|again|broke|broken|breaks|blocked|waiting|pending|to be|tomorrow|next|soon"
    r"|maybe|perhaps|probably|hope|hopes|expect|expects|expected|supposed|claims|claimed|hasn|haven"
    r"|didn|doesn|don|isn|wasn|aren|weren|won|wouldn|couldn|shouldn|hadn|ain|instead|cancelled"
    r"|canceled|postponed|delayed"
)
BLOCKED_ZH = (
    "未|没|沒|不(?!同|少|仅)|尚|别|差点|差一点|快要|即将|將|将要|将(?=[在于会])|打算|计划|計劃"
    "|[准準][备備](?![好完])|想要?|希望|应该|應該|需要|必须|(?<!重)要(?!求|点|素)|可能|也许|大概|如果|若|等(?!级|等)"
    "|一旦|的话|一半|部分|差不多|几乎|幾乎|只|但|不过|然而|失败|失敗|重新|回滚|回退|撤销|又|还(?!款)"
    "|還|再|会(?!话|议|员|计|面)|開始|开始|继续|仍|取消|推迟|延期|卡住|是否|有没有|除了|除外"
)
# With one of these the plan may say what is to be mended; then the report may, too.
TROUBLE_EN = _words("failed fails failing broken breaks blocked waiting pending delayed")
TROUBLE_ZH = ("失败", "失敗", "延期", "推迟", "卡住", "部分")
QUESTION_EN = (
    r"\s*(?:did|do|does|is|are|was|were|has|have|had|can|could|will|would|should|who|what|when"
    r"|where|why|how|which)\b"
)
QUESTION_ZH = "(?:[吗嗎呢]|什么|怎么)\\s*[。.!！]?\\s*$"
# How long and how it was done is no other subject.
ASIDE_EN = _words(
    """
    today yesterday morning afternoon evening tonight night week month monday tuesday wednesday
    thursday friday saturday sunday pr commit branch ticket issue finally just already now all
    successfully team everything completely fully ago last hour day
    """
)
# These name nothing, or the time it was done.
LIGHT_ZH = (
    *("我们", "我們", "问题", "問題", "已经", "已經", "今天", "昨天", "前天", "今早", "早上"),
    *("上午", "下午", "晚上", "刚刚", "剛剛", "刚才", "剛才", "终于", "終於", "顺利", "順利"),
    *("全部", "(?:周|星期|礼拜|禮拜)[一二三四五六日天]", "[把给給的了已都被由从從]"),
)
