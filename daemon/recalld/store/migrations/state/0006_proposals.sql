-- What turns proposed to remember, until somebody accepts or rejects it, and how far the turns of
-- the event log were heard.

CREATE TABLE memory_proposal (
  id TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  key BLOB NOT NULL,               -- of the words: the same is proposed once
  content TEXT NOT NULL,           -- '' once it is rejected; secrets redacted
  type TEXT NOT NULL,
  session TEXT NOT NULL,
  agent TEXT NOT NULL,
  said_by TEXT NOT NULL,           -- user or agent
  said_at TEXT NOT NULL,           -- UTC
  rejected_at TEXT                 -- UTC; NULL while it waits
) WITHOUT ROWID;
CREATE UNIQUE INDEX memory_proposal_key ON memory_proposal (owner, key);
CREATE INDEX memory_proposal_waiting ON memory_proposal (owner, id) WHERE rejected_at IS NULL;

CREATE TABLE turns_heard (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  seq INTEGER                      -- every turn up to this event was heard; NULL: nobody listens
);
INSERT INTO turns_heard (only, seq) VALUES (1, NULL);
