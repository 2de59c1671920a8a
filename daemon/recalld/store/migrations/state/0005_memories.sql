-- Typed memories: what users and agents said of themselves and their work. Not rebuilt from
-- anything. Times are UTC; content has no secrets and no blocks of our own.

CREATE TABLE memory (
  id TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  content TEXT NOT NULL,
  type TEXT NOT NULL,
  state TEXT NOT NULL,
  importance REAL NOT NULL,
  tags TEXT NOT NULL,              -- JSON list
  session TEXT,
  agent TEXT NOT NULL,
  created_at TEXT NOT NULL,        -- when it happened
  updated_at TEXT NOT NULL,
  expires_at TEXT,
  origin TEXT NOT NULL,
  visibility TEXT NOT NULL,
  stability_days REAL NOT NULL,
  accessed_at TEXT NOT NULL,
  access_count INTEGER NOT NULL,
  confidence_factors TEXT NOT NULL, -- JSON list
  confidence REAL NOT NULL,
  state_since TEXT,
  resolved_by TEXT,                -- the memory that reported it done
  burst_at TEXT,
  burst_count INTEGER NOT NULL
);
CREATE INDEX memory_owner ON memory (owner, created_at, id);

-- One vector a memory, of the engine that made it last.
CREATE TABLE memory_vector (
  memory_id TEXT PRIMARY KEY REFERENCES memory (id) ON DELETE CASCADE,
  identity TEXT NOT NULL,
  blob BLOB NOT NULL               -- half floats
) WITHOUT ROWID;
CREATE INDEX memory_vector_identity ON memory_vector (identity);

-- The other wordings and sessions in which a memory was said again: no message is lost.
CREATE TABLE memory_occurrence (
  memory_id TEXT NOT NULL REFERENCES memory (id) ON DELETE CASCADE,
  content TEXT NOT NULL,
  session TEXT NOT NULL,           -- '' without one
  agent TEXT NOT NULL,
  origin TEXT NOT NULL,
  at TEXT NOT NULL,                -- the latest time
  count INTEGER NOT NULL,
  PRIMARY KEY (memory_id, content, session, agent)
);

-- The first answers to event ids, for 24 h. memory_id is NULL once that memory is forgotten.
CREATE TABLE memory_reply (
  owner TEXT NOT NULL,
  event_id TEXT NOT NULL,
  at TEXT NOT NULL,
  memory_id TEXT,
  reply BLOB,                      -- JSON
  PRIMARY KEY (owner, event_id)
) WITHOUT ROWID;
CREATE INDEX memory_reply_memory ON memory_reply (memory_id) WHERE memory_id IS NOT NULL;
CREATE INDEX memory_reply_at ON memory_reply (at);
