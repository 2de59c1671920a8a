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
