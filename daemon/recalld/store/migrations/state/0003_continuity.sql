-- Continuity: what a checkpoint said and who wrote it, results of sub-agents on their way to the
-- user, and snapshots that are owed to a session. Rows belong to one workspace, by its root.

CREATE TABLE checkpoint (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace TEXT NOT NULL,
  sha TEXT NOT NULL,               -- SHA-256 of the file's bytes, in hex
  origin TEXT NOT NULL,            -- hand or machine
  at TEXT NOT NULL,                -- UTC
  session_key TEXT,
  body TEXT NOT NULL               -- the file's text, secrets redacted
);
CREATE INDEX checkpoint_workspace ON checkpoint (workspace, id);
CREATE INDEX checkpoint_sha ON checkpoint (workspace, sha, id);
CREATE INDEX checkpoint_at ON checkpoint (at);

CREATE TABLE child_result (
  workspace TEXT NOT NULL,
  parent TEXT NOT NULL,            -- session key of the agent that is waiting for it
  child TEXT NOT NULL,             -- session key of the sub-agent
  outcome TEXT NOT NULL,
  result TEXT NOT NULL,            -- secrets redacted
  at TEXT NOT NULL,                -- UTC
  surfaced_at TEXT,                -- UTC; NULL while the user has not been told
  PRIMARY KEY (workspace, parent, child)
) WITHOUT ROWID;
-- What is still to be forgotten, so that looking for it reads nothing else.
CREATE INDEX child_result_surfaced ON child_result (surfaced_at) WHERE surfaced_at IS NOT NULL;
CREATE INDEX child_result_waiting ON child_result (at) WHERE surfaced_at IS NULL;

CREATE TABLE owed_snapshot (
  workspace TEXT NOT NULL,
  session_key TEXT NOT NULL,
  at TEXT NOT NULL,                -- UTC
  PRIMARY KEY (workspace, session_key)
) WITHOUT ROWID;
CREATE INDEX owed_snapshot_at ON owed_snapshot (at);
