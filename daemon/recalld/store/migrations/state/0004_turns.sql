-- How far the turns of the event log have become checkpoints, and finding a workspace's turns.

CREATE TABLE turns_done (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  seq INTEGER NOT NULL             -- every turn up to this event is in a checkpoint, or needs none
);
-- What was said before there were checkpoints is not made into one.
INSERT INTO turns_done (only, seq) SELECT 1, coalesce(max(seq), 0) FROM event;

CREATE INDEX event_turn ON event (workspace, seq) WHERE kind = 'session.turn';
