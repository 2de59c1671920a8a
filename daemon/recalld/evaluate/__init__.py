"""How good search is: labelled questions put to the real ingest, store and search.

``sets`` reads labelled corpora, ``files`` writes them as Markdown, ``world`` indexes them in a
folder of its own and asks, ``metrics`` turns answers into figures, ``predictions`` writes answers
for another scorer.
"""
