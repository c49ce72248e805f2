CREATE TABLE meta (key text PRIMARY KEY, value text NOT NULL);
CREATE TABLE document (
    id text COLLATE "C" PRIMARY KEY, first bigint NOT NULL, passages integer NOT NULL, title text NOT NULL,
    aliases text NOT NULL, metadata text NOT NULL, text text);
CREATE TABLE passage (
    part integer NOT NULL, number bigint NOT NULL, document text NOT NULL, position integer NOT NULL,
    title text NOT NULL, heading text NOT NULL, text text NOT NULL, metadata text NOT NULL,
    length smallint NOT NULL, terms bytea NOT NULL, page integer, PRIMARY KEY (number, part));
CREATE TABLE attribute (part integer NOT NULL, number bigint NOT NULL, field text NOT NULL, words text, value numeric);
ALTER TABLE attribute REPLICA IDENTITY FULL;
CREATE INDEX attribute_number ON attribute (number);
CREATE INDEX attribute_words ON attribute (field, left(words, 64) COLLATE "C") WHERE words IS NOT NULL;
CREATE INDEX attribute_value ON attribute (field, value) WHERE value IS NOT NULL;
CREATE TABLE posting (
    part integer NOT NULL, term text COLLATE "C" NOT NULL, codes integer[] NOT NULL,
    most smallint NOT NULL, least smallint NOT NULL, PRIMARY KEY (term, part));
ALTER TABLE posting ALTER COLUMN codes SET STORAGE EXTERNAL;
CREATE TABLE mention (
    part integer NOT NULL, number bigint NOT NULL, surface bigint NOT NULL, PRIMARY KEY (number, surface, part));
CREATE INDEX mention_surface ON mention (surface, number);
CREATE TABLE relation (
    part integer NOT NULL, source bigint NOT NULL, target bigint NOT NULL, kind text NOT NULL,
    confidence double precision NOT NULL, evidence text NOT NULL, method text NOT NULL,
    PRIMARY KEY (source, target, kind, part));
CREATE INDEX relation_target ON relation (target);
CREATE TABLE embedding (
    part integer NOT NULL, number bigint NOT NULL, data halfvec NOT NULL, PRIMARY KEY (number, part));
CREATE TABLE surface (
    surface bigint NOT NULL, key text COLLATE "C" NOT NULL, spread integer NOT NULL, part integer NOT NULL,
    PRIMARY KEY (surface, part));
CREATE INDEX surface_key ON surface (key);
CREATE TABLE name (
    surface bigint NOT NULL, document text COLLATE "C" NOT NULL, whole boolean NOT NULL, part integer NOT NULL,
    first bigint NOT NULL, passages integer NOT NULL, PRIMARY KEY (surface, document, part));
CREATE INDEX name_document ON name (document);
CREATE TABLE term (term text COLLATE "C" PRIMARY KEY, passages integer NOT NULL);
CREATE TABLE kept (name text PRIMARY KEY, generation bigint NOT NULL, data bytea NOT NULL);
CREATE TABLE file (
    folder text COLLATE "C" NOT NULL, path text COLLATE "C" NOT NULL, size bigint NOT NULL, modified bigint NOT NULL,
    digest text NOT NULL, recipe text NOT NULL, problem text NOT NULL, PRIMARY KEY (folder, path));
CREATE TABLE part_stamp (part integer PRIMARY KEY, generation bigint NOT NULL);
CREATE TABLE id_stamp (id text COLLATE "C" PRIMARY KEY, generation bigint NOT NULL);
INSERT INTO meta VALUES ('generation', '0'), ('next_passage', '0'), ('next_surface', '1'),
    ('passages', '0'), ('words', '0');
