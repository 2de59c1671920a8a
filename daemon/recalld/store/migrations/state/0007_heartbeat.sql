-- What heartbeats did, so that they neither nag nor go silent. Not rebuilt from anything.

CREATE TABLE heartbeat_act (
  id TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  at TEXT NOT NULL,                -- RFC 3339, UTC
  body BLOB NOT NULL               -- JSON: the act and what it changes once it is delivered
);
CREATE INDEX heartbeat_act_owner ON heartbeat_act (owner, at);

CREATE TABLE heartbeat_book (
  owner TEXT PRIMARY KEY,
  body BLOB NOT NULL               -- JSON: what is held back, silent, told, and compared with
);

CREATE TABLE heartbeat_tick (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  owner TEXT NOT NULL,
  at TEXT NOT NULL,
  reason TEXT NOT NULL,
  signals INTEGER NOT NULL,
  llm_calls INTEGER NOT NULL
);
CREATE INDEX heartbeat_tick_owner ON heartbeat_tick (owner, id);
