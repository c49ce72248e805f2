CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE document (
    row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, title TEXT NOT NULL,
    aliases TEXT NOT NULL, metadata TEXT NOT NULL, text TEXT);
CREATE TABLE passage (
    row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, document INTEGER NOT NULL,
    position INTEGER NOT NULL, heading TEXT NOT NULL, text TEXT NOT NULL, page INTEGER);
CREATE INDEX passage_document ON passage (document, position);
CREATE TABLE attribute (field TEXT, value, document INTEGER, PRIMARY KEY (field, value, document)) WITHOUT ROWID;
CREATE INDEX attribute_document ON attribute (document);
CREATE TABLE surface (row INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, spread INTEGER NOT NULL DEFAULT 0);
CREATE TABLE name (surface INTEGER, document INTEGER, PRIMARY KEY (surface, document)) WITHOUT ROWID;
CREATE INDEX name_document ON name (document);
CREATE TABLE mention (passage INTEGER, surface INTEGER, PRIMARY KEY (passage, surface)) WITHOUT ROWID;
CREATE INDEX mention_surface ON mention (surface, passage);
CREATE TABLE vector (passage INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE removed (passage INTEGER, generation INTEGER);
CREATE TABLE relation (
    source INTEGER, target INTEGER, kind TEXT, confidence REAL NOT NULL, evidence TEXT NOT NULL, method TEXT NOT NULL,
    PRIMARY KEY (source, target, kind)) WITHOUT ROWID;
CREATE INDEX relation_target ON relation (target, source);
CREATE TABLE kept (name TEXT PRIMARY KEY, generation INTEGER NOT NULL, data BLOB NOT NULL);
CREATE TABLE file (
    folder TEXT, path TEXT, size INTEGER NOT NULL, modified INTEGER NOT NULL, digest TEXT NOT NULL,
    recipe TEXT NOT NULL, problem TEXT NOT NULL, PRIMARY KEY (folder, path)) WITHOUT ROWID;
INSERT INTO meta VALUES ('generation', 0), ('next_document', 1), ('next_passage', 1);
