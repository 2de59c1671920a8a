"""Chinese words that continuity looks for, as data, in simplified and traditional form. Pure."""

_THINGS = (
    r"(?:任务|任務|工作|目标|目標|项目|項目|事项|事項|进展|進展|阻塞|阻碍|阻礙|障碍|障礙|问题"
    r"|問題|决定"
    r"|決定|决策|決策|结果|結果|内容|內容|步骤|步驟|计划|計劃|安排|活动|活動|数据|資料|信息|消息)"
)

# A value that is this and nothing more: there is nothing.
NOTHING = (
    rf"(?:暂时|暫時|目前|当前|當前|现在|現在|暂|暫)?(?:均|都|还|還|尚)?(?:无|無|没有|沒有|沒|没)"
    r"(?:进行中的?|進行中的?|活动的?|活動的?|正在进行的?|其他|其它|任何|新的?"
    rf"|待办的?)?{_THINGS}?(?:了)?"
    r"|空|空白|空闲|空閒|未知|不适用|不適用|不详|不詳|不明"
)
# A value that is this and nothing more: somebody still has to fill it in.
UNFILLED = (
    r"待定|待办|待辦|待填|待填写|待填寫|待补|待補|待补充|待補充|待确定|待確定|待确认|待確認|待续"
    r"|待續"
    r"|未定|未填|未填写|未填寫|未设置|未設置|未命名|占位|佔位|占位符|佔位符|请填写|請填寫"
    r"|在此填写|在此填寫"
)

# Headings that people write in Chinese, with the names of the file format.
SECTION_NAMES = {
    **dict.fromkeys(("当前状态", "當前狀態", "目前状态", "目前狀態"), "Current State"),
    **dict.fromkeys(("目标", "目標", "任务目标", "任務目標", "当前目标", "當前目標"), "Objective"),
    **dict.fromkeys(
        ("当前步骤", "當前步驟", "目前步骤", "目前步驟", "当前进度", "當前進度"), "Current Step"
    ),
    **dict.fromkeys(
        ("关键决定", "關鍵決定", "关键决策", "關鍵決策", "重要决定", "重要決定", "主要决策"),
        "Key Decisions",
    ),
    **dict.fromkeys(
        ("下一步", "下一步行动", "下一步行動", "下一步操作", "后续动作", "後續動作"), "Next Action"
    ),
    **dict.fromkeys(
        ("阻塞", "阻塞项", "阻塞項", "阻塞点", "阻碍", "阻礙", "障碍", "障礙", "卡点", "卡點"),
        "Blockers",
    ),
    **dict.fromkeys(
        ("未呈现结果", "未呈現結果", "未展示结果", "未展示結果", "待告知结果", "待告知結果"),
        "Unsurfaced Results",
    ),
}

# Of the characters that the rules use, the traditional forms; one for one.
_PAIRS = (
    "說说繼继續续著着剛刚裡里麼么們们開开斷断線线進进幹干現现該该從从還还沒没後后時时過过來来這这"
    "個个嗎吗復复連连網网絡络務务錄录誤误錯错無无請请問问題题決决擇择選选採采證证權权臨临話话記记"
    "憶忆邊边點点處处動动終终於于總总結结討讨論论講讲談谈寫写讀读項项標标狀状態态況况顧顾彙汇報报"
    "執执會会電电腦脑機机統统覽览啟启關关閉闭壓压縮缩囉啰應应當当準准備备劃划計计餘余擋挡礙碍確确"
    "認认驟骤階阶圖图發发佈布對对給给讓让實实樣样種种條条據据庫库審审測测試试編编譯译驗验檢检運运"
    "傳传輸输敗败訪访額额鑰钥憑凭帳账賬账頻频異异載载響响識识別别長长單单訂订閱阅號号鑑鉴簽签觸触"
    "達达內内陸陆圍围願愿謝谢勞劳貼贴盤盘併并錢钱張张類类組组規规範范順顺預预領领頁页責责負负員员"
    "誰谁導导間间門门閘闸隊队際际隨随險险離离難难雲云頭头體体馬马驅驱黨党齊齐親亲覺觉樓楼構构歸归"
    "殘残殺杀氣气滿满濾滤煩烦熱热燈灯爭争牆墙獨独獲获環环產产畫画療疗監监視视礎础禮礼積积穩稳窮穷"
    "筆笔節节簡简糧粮約约級级純纯細细經经綜综維维緩缓練练績绩織织罷罢職职聲声聽听腳脚與与舉举舊旧"
    "葉叶蟲虫術术衛卫補补裝装製制複复見见觀观訊讯訓训許许設设評评詞词詳详語语諾诺謀谋議议護护變变"
    "貨货貴贵買买費费資资質质賣卖購购贈赠贊赞趕赶跡迹車车軟软較较輕轻輪轮轉转辦办農农邏逻郵邮醫医"
    "釋释針针銷销鎖锁鏈链鐘钟陣阵陰阴雙双雜杂須须顯显風风飛飞飯饭館馆驚惊數数儲储為为係系裏里幾几"
    "週周聯联繫系優优調调戶户檔档註注幫帮訴诉絕绝隻只聞闻換换臺台嘗尝嚐尝遷迁碼码啓启並并將将減减"
    "軍军適适鍵键閃闪閒闲勁劲託托鏡镜夠够滾滚銜衔掛挂縫缝摺折擊击潤润擬拟閑闲"
)
_SIMPLIFIED = {ord(old): new for old, new in zip(_PAIRS[::2], _PAIRS[1::2], strict=True)}


def simplified(text: str) -> str:
    """The text with the simplified forms of what the rules look for; as long as before."""
    return text.translate(_SIMPLIFIED)
