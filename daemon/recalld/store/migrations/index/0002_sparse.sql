-- Learned sparse weights, keyed like vectors by what was embedded.
CREATE TABLE sparse (
  text_hash BLOB NOT NULL,
  identity TEXT NOT NULL,          -- engine/model/dimension of the vector made in the same pass
  weights BLOB NOT NULL,           -- token ids (int32, ascending), then as many weights (float16)
  PRIMARY KEY (text_hash, identity)
) WITHOUT ROWID;
