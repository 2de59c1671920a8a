"""A small folder of notes in two languages, to look at recall before pointing it at one's own."""
