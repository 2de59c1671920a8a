"""How good recall is: labelled questions put to the real ingest, store, search and gate.

``sets`` reads labelled corpora, ``files`` writes them as Markdown, ``world`` indexes them in a
folder of its own and asks, ``metrics`` turns answers into figures, ``predictions`` writes answers
for another scorer. ``run`` is one evaluation of one configuration, with ``gate_eval`` for the gate
and ``self_questions`` for notes without labels; ``report`` is its figures and ``html`` the page.
``replay`` runs past prompts again.
"""
