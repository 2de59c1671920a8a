"""Pairs of sentences that show how an engine's cosines are spread. Data, pure.

Half are English, half Chinese. The order counts: (first, second).
"""

Pairs = tuple[tuple[str, str], ...]

# Other words that carry nothing.
SAME: Pairs = (
    ("The backup job runs at midnight", "Backup job runs at midnight."),
    ("We agreed on weekly reviews", "Agreed on weekly reviews!"),
    ("The invoices are in the shared folder", "Invoices are in the shared folder"),
    ("I prefer tabs in Python files", "I prefer tabs in the Python files"),
    ("Order the new monitors", "Please order new monitors"),
    ("备份任务每天零点运行", "备份任务每天零点运行。"),
    ("我们约好每周评审一次", "约好每周评审一次！"),
    ("发票放在共享文件夹里", "发票放在共享的文件夹里"),
    ("我习惯用制表符缩进", "我习惯用制表符缩进！"),
    ("订新的显示器", "订新显示器。"),
)
# Two parts of the sentence changed places.
TURNED: Pairs = (
    ("The key of the archive server has expired", "The archive server's key has expired"),
    ("In the morning the office opens at eight", "The office opens at eight in the morning"),
    ("The report of the second quarter is late", "The second quarter's report is late."),
    ("归档服务器的密钥上周过期了", "上周归档服务器的密钥过期了"),
    ("办公室早上八点开门", "早上八点办公室开门。"),
    ("第二季度的报告已经迟交", "报告第二季度的已经迟交！"),
)
# A plan, and the report that it is done.
REPORTED: Pairs = (
    ("Repair the nightly export", "The nightly export was repaired on Tuesday"),
    ("Renew the certificate of the shop", "Renewed the shop's certificate"),
    ("Draft the agenda for the board meeting", "The agenda for the board meeting is drafted"),
    ("Upgrade the queue to version four", "The queue runs on version four now, upgrade finished"),
    ("Move the photos to the new disk", "All photos have been moved to the new disk"),
    ("Looking into the slow search", "Solved the slow search by adding an index"),
    ("修好夜间导出任务", "夜间导出任务周二修好了"),
    ("发布新的客户端", "新的客户端周三上线了"),
    ("续订商店的证书", "商店的证书已经续订"),
    ("起草董事会的议程", "董事会的议程起草完了"),
    ("把队列升级到第四版", "队列已经升级到第四版"),
    ("把照片搬到新硬盘", "照片都搬到新硬盘了"),
)
UNRELATED: Pairs = (
    ("Repair the nightly export", "My aunt grows tomatoes"),
    ("The invoices are in the shared folder", "The train to the coast was late"),
    ("I prefer tabs in Python files", "The museum is closed on Mondays"),
    ("修好夜间导出任务", "姑姑种了西红柿"),
    ("发票放在共享文件夹里", "去海边的火车晚点了"),
    ("我习惯用制表符缩进", "博物馆周一闭馆"),
)
