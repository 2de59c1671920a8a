-- Transcripts are read where the last look ended, so the reading has a memory of its own. Their
-- rows in file and chunk are as any other's, with the source 'sessions'.

CREATE TABLE transcript (
  file_id INTEGER PRIMARY KEY REFERENCES file (id) ON DELETE CASCADE,
  progress BLOB NOT NULL           -- JSON: host, position, fingerprint, counts
);

CREATE TABLE transcript_line (     -- lines that were taken, so that none is taken twice
  file_id INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
  line INTEGER NOT NULL,
  identity BLOB NOT NULL,          -- blake2b-16 of the host's id of the line, else of its place and bytes
  PRIMARY KEY (file_id, line)
) WITHOUT ROWID;
CREATE INDEX transcript_line_identity ON transcript_line (identity);
