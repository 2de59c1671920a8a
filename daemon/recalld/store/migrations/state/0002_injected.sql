-- What was put into prompts, as fingerprints: it is not to come back as news. Not rebuilt from
-- anything, and needed when the index is.

CREATE TABLE injected (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  runs BLOB NOT NULL               -- 32-bit hashes of runs of three words, big endian, ascending
);
