CREATE TABLE programs (
    hash TEXT PRIMARY KEY,
    text TEXT NOT NULL,
    signature TEXT NOT NULL,
    calls INTEGER NOT NULL,
    origin TEXT NOT NULL CHECK (origin IN ('imported', 'written', 'found')),
    file TEXT,
    seed INTEGER,
    operator TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE names (
    program TEXT NOT NULL REFERENCES programs ON DELETE CASCADE,
    name TEXT NOT NULL,
    PRIMARY KEY (name, program)
) STRICT, WITHOUT ROWID;
CREATE INDEX names_of ON names (program);

CREATE TABLE parents (
    program TEXT NOT NULL REFERENCES programs ON DELETE CASCADE,
    place INTEGER NOT NULL,
    parent TEXT NOT NULL,
    PRIMARY KEY (program, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE saw (
    program TEXT NOT NULL REFERENCES programs ON DELETE CASCADE,
    task TEXT NOT NULL,
    PRIMARY KEY (program, task)
) STRICT, WITHOUT ROWID;

CREATE TABLE tasks (
    hash TEXT PRIMARY KEY,
    name TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE results (
    task TEXT NOT NULL REFERENCES tasks,
    program TEXT NOT NULL REFERENCES programs ON DELETE CASCADE,
    pairs_right INTEGER NOT NULL,
    pairs INTEGER NOT NULL,
    score INTEGER NOT NULL,
    fuel INTEGER NOT NULL,
    micros INTEGER NOT NULL,
    behaviour TEXT NOT NULL,
    dsl TEXT NOT NULL,
    PRIMARY KEY (task, program),
    UNIQUE (task, behaviour)
) STRICT, WITHOUT ROWID;
CREATE INDEX results_of ON results (program);

CREATE TABLE test_results (
    task TEXT NOT NULL,
    program TEXT NOT NULL REFERENCES programs ON DELETE CASCADE,
    pairs_right INTEGER NOT NULL,
    pairs INTEGER NOT NULL,
    PRIMARY KEY (task, program)
) STRICT, WITHOUT ROWID;
CREATE INDEX test_results_of ON test_results (program);
