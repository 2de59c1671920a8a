"""One way to write what rules look for: simplified characters and plain punctuation. Pure.

Only what the rules of this daemon use is folded; it is no converter.
"""

import re

# Each traditional character with its simplified form. Only one for one, so positions hold.
_PAIRS = (
    "記记憶忆還还們们個个這这時时說说過过麼么為为專专項项進进實实現现開开關关係系據据歷历讓让請请給给對对應应嗎吗選选擇择測测試试討讨論论決决習习慣惯歡欢規规則则處处發发裡里裏里樣样樓楼"
    "師师買买賣卖該该間间問问題题誰谁鐘钟號号歲岁幾几週周禮礼後后點点從从來来寫写讀读聽听話话談谈樂乐錄录設设計计劃划結结態态況况達达語语總总綜综聯联繫系業业務务單单經经舊旧樁桩張张條条"
    "輯辑檢检優优複复調调運运執执當当環环節节標标準准確确認认續续編编譯译網网絡络頁页員员會会議议課课錢钱價价額额數数戶户帳账賬账體体驗验檔档縣县區区別别無无與与備备註注釋释殘残幫帮煩烦"
    "貓猫養养愛爱紹绍薦荐訴诉講讲絕绝爺爷媽妈電电腦脑機机車车廠厂雜杂誌志畫画觀观園园國国際际學学術术貨货訂订報报錯错誤误動动終终於于隻只雙双類类組组織织內内層层極极謝谢勞劳邊边見见聞闻"
    "斷断轉转換换圖图輸输歸归頻频頭头審审臺台灣湾嘗尝嚐尝證证懷怀壞坏壓压縮缩軟软積积響响顯显稱称遷迁沒没郵邮碼码鑰钥營营維维護护啟启閉闭連连線线參参級级權权倉仓庫库啓启嚴严幹干並并貼贴"
    "鏈链頂顶順顺預预須须願愿閱阅陣阵階阶雖虽難难離离靈灵靜静飛飞飯饭館馆駐驻髒脏鬧闹魚鱼鳥鸟麗丽齊齐齒齿龍龙將将獎奖廣广彈弹復复徵征戰战戲戏擔担攜携敗败敵敌曆历棟栋榮荣構构槍枪櫃柜歐欧"
    "殺杀氣气淚泪淺浅減减滅灭滿满漢汉潔洁燈灯燒烧爐炉爭争牆墙狀状獲获瑪玛瓊琼異异療疗盤盘睏困瞭了礎础種种稅税穩稳窮穷筆笔範范簡简糧粮純纯紅红紙纸細细統统綠绿練练繼继罷罢職职膽胆臉脸舉举"
    "藝艺藥药衆众補补裝装褲裤襯衬覺觉觸触詞词詢询詳详誕诞誠诚諸诸謀谋財财貴贵費费資资質质購购賽赛贊赞趕赶跡迹踐践軍军軌轨較较載载輕轻輛辆輪轮農农遊游遠远適适遲迟遺遗鄉乡醫医針针鉤钩銀银"
    "銷销鋼钢鍵键鎖锁鐵铁長长門门閃闪閒闲閘闸陸陆陽阳隊队隨随險险隱隐雞鸡雲云顧顾風风餓饿馬马騎骑驚惊黃黄吳吴劉刘陳陈趙赵孫孙楊杨羅罗鄭郑韓韩馮冯蕭萧鄧邓許许呂吕蘇苏盧卢蔣蒋賈贾葉叶譚谭"
    "鄒邹佈布著着剛刚採采臨临彙汇覽览囉啰餘余擋挡礙碍驟骤傳传訪访憑凭識识鑑鉴簽签圍围併并領领責责負负導导驅驱黨党親亲濾滤熱热獨独產产監监視视約约緩缓績绩聲声腳脚蟲虫衛卫製制訊讯訓训評评"
    "諾诺變变贈赠辦办邏逻陰阴儲储勁劲託托鏡镜夠够滾滚銜衔掛挂縫缝摺折擊击潤润擬拟閑闲東东書书僅仅創创刪删場场塊块盡尽屬属棄弃擴扩暫暂瀏浏緒绪慮虑蹤踪頸颈饋馈駁驳爾尔緊紧潰溃貝贝眾众萬万"
    "兩两掃扫"
)
_SIMPLIFIED = {ord(old): ord(new) for old, new in zip(_PAIRS[::2], _PAIRS[1::2], strict=True)}
_PLAIN = {ord(old): ord(new) for old, new in zip("？！，’\u00a0\u3000", "?!,'  ", strict=True)}
_FOLDED = _SIMPLIFIED | _PLAIN
# Most texts hold none of these, and are known to faster than they are translated.
_TRADITIONAL = re.compile(f"[{_PAIRS[::2]}]")


def simplified(text: str) -> str:
    """The text with the simplified forms of what the rules look for; as long as before."""
    if text.isascii() or _TRADITIONAL.search(text) is None:
        return text
    return text.translate(_SIMPLIFIED)


def folded(text: str) -> str:
    """As ``simplified``, and with plain ``?!,'`` and blanks; as long as before."""
    return text if text.isascii() else text.translate(_FOLDED)
