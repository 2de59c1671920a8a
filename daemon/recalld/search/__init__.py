"""One search: a query text in, one list with one calibrated raw score out.

Reading side of the index. It stands beside ``index/`` (which writes) because the two meet
only in the tables of ``store/`` and change for different reasons.
"""
