-- The derived index. Everything here can be deleted and rebuilt from the files.
-- Full-text tables are one per workspace (lex_<workspace id>, see store/index_write.py), so that
-- bm25 statistics never mix languages and projects. Ids are AUTOINCREMENT: a number that was once
-- given out never comes back with other content, so what is held in memory by id can't go stale.

CREATE TABLE workspace (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  root TEXT NOT NULL UNIQUE,
  recipe TEXT NOT NULL DEFAULT '',  -- what the rows were made with; another recipe makes them anew
  reconciled_at TEXT
);

CREATE TABLE file (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspace (id) ON DELETE CASCADE,
  path TEXT NOT NULL,              -- relative to the root, POSIX
  source TEXT NOT NULL,
  sha256 BLOB NOT NULL,
  size INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,
  inode INTEGER NOT NULL,
  title TEXT NOT NULL,             -- first heading, else ''
  date TEXT,                       -- ISO date when the file is dated
  session TEXT,                    -- session key when the file counts as one session
  head_text TEXT NOT NULL,         -- 'file name. title', embedded as the file's heading vector
  head_hash BLOB NOT NULL,         -- blake2b-16 of head_text
  skipped TEXT,                    -- why there are no chunks, else NULL
  warning TEXT,                    -- e.g. 'lossy utf-8', else NULL
  UNIQUE (workspace_id, path)
);

CREATE TABLE chunk (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uid TEXT NOT NULL,               -- stable over rebuilds: derived from path, heading, text, occurrence
  workspace_id INTEGER NOT NULL,
  file_id INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,        -- position in the file, from 0
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  heading TEXT NOT NULL,           -- nearest heading, '' before the first
  text TEXT NOT NULL,
  speaker TEXT,
  date TEXT,
  is_cjk INTEGER NOT NULL,
  UNIQUE (file_id, ordinal)
);
CREATE INDEX chunk_workspace ON chunk (workspace_id);
CREATE INDEX chunk_uid ON chunk (uid);

-- What the full-text table was fed with. A contentless FTS5 table needs the old values to delete
-- (no contentless_delete before SQLite 3.43), and coverage features read the tokens of hits.
CREATE TABLE chunk_lexical (
  chunk_id INTEGER PRIMARY KEY REFERENCES chunk (id) ON DELETE CASCADE,
  own TEXT NOT NULL,
  prev TEXT NOT NULL,
  next TEXT NOT NULL,
  head TEXT NOT NULL
);

CREATE TABLE passage (              -- the short windows of a chunk that are embedded
  id INTEGER PRIMARY KEY,
  chunk_id INTEGER NOT NULL REFERENCES chunk (id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  start_char INTEGER NOT NULL,
  end_char INTEGER NOT NULL,
  text_hash BLOB NOT NULL,         -- blake2b-16 of the window's text
  UNIQUE (chunk_id, ordinal)
);
CREATE INDEX passage_hash ON passage (text_hash);

CREATE TABLE vector (              -- keyed by content: a rename or a touched file costs no embedding
  text_hash BLOB NOT NULL,
  identity TEXT NOT NULL,          -- engine/model/dimension
  vector BLOB NOT NULL,            -- float16, centred, unit length
  PRIMARY KEY (text_hash, identity)
) WITHOUT ROWID;
