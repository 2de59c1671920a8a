-- Acknowledged events: the one part of the database that cannot be rebuilt.

CREATE TABLE event (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  event_id TEXT,                   -- the client's id, for 24 h of idempotence
  kind TEXT NOT NULL,              -- method name
  session_key TEXT NOT NULL,
  agent TEXT NOT NULL,
  workspace TEXT,
  at TEXT NOT NULL,                -- RFC 3339, clamped to now
  received_at TEXT NOT NULL,
  payload BLOB NOT NULL,           -- JSON, own blocks stripped, secrets redacted
  reply BLOB                       -- JSON of the first reply, returned again for a duplicate
);
-- A client's ids are its own within one session: no session is ever answered with another's.
CREATE UNIQUE INDEX event_client_id ON event (session_key, kind, event_id) WHERE event_id IS NOT NULL;
CREATE INDEX event_session ON event (session_key, seq);
-- What is still to be forgotten, so that looking for it reads nothing else.
CREATE INDEX event_reply ON event (received_at) WHERE reply IS NOT NULL;
CREATE INDEX event_prompt ON event (received_at)
  WHERE kind = 'session.prompt' AND payload <> X'7B7D';

CREATE TABLE session (
  key TEXT PRIMARY KEY,
  agent TEXT NOT NULL,
  workspace TEXT,
  client TEXT,
  started_at TEXT NOT NULL,
  seen_at TEXT NOT NULL,
  ended_at TEXT,
  end_reason TEXT
);
