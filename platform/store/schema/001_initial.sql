-- Times are milliseconds since 1970. Columns that hold JSON say so.

CREATE TABLE users (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    username      TEXT    NOT NULL COLLATE NOCASE UNIQUE,
    password_hash TEXT    NOT NULL,              -- Argon2id; '' for accounts without log-in
    role          TEXT    NOT NULL,
    active        INTEGER NOT NULL DEFAULT 1,
    created_at    INTEGER NOT NULL
) STRICT;

CREATE TABLE tokens (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    jti        TEXT    NOT NULL UNIQUE,
    user_id    INTEGER NOT NULL REFERENCES users (id),
    name       TEXT,                             -- NULL for those of a log-in
    role       TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX tokens_by_user ON tokens (user_id);
CREATE INDEX tokens_by_expiry ON tokens (expires_at);

CREATE TABLE login_misses (
    username TEXT    NOT NULL COLLATE NOCASE,
    at       INTEGER NOT NULL
) STRICT;
CREATE INDEX login_misses_by_name ON login_misses (username, at);

CREATE TABLE projects (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    name        TEXT    NOT NULL COLLATE NOCASE UNIQUE,
    description TEXT    NOT NULL DEFAULT '',
    archived    INTEGER NOT NULL DEFAULT 0,
    created_at  INTEGER NOT NULL
) STRICT;

CREATE TABLE applications (
    id               INTEGER PRIMARY KEY AUTOINCREMENT,
    name             TEXT    NOT NULL COLLATE NOCASE UNIQUE,
    app_tag          TEXT    NOT NULL,
    application_type TEXT    NOT NULL,
    interfaces       TEXT    NOT NULL,           -- JSON list
    auth_requirement TEXT,                       -- NULL: as the environment says
    git_url          TEXT,
    git_provider     TEXT,
    default_branch   TEXT,
    swagger_path     TEXT
) STRICT;
CREATE INDEX applications_by_tag ON applications (app_tag);

CREATE TABLE project_applications (
    project_id     INTEGER NOT NULL REFERENCES projects (id),
    application_id INTEGER NOT NULL REFERENCES applications (id),
    PRIMARY KEY (project_id, application_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX project_applications_back ON project_applications (application_id, project_id);

CREATE TABLE environments (
    id               INTEGER PRIMARY KEY AUTOINCREMENT,
    name             TEXT    NOT NULL COLLATE NOCASE UNIQUE,
    auth_requirement TEXT    NOT NULL,
    allow_private    INTEGER NOT NULL,
    properties       TEXT    NOT NULL DEFAULT '{}',  -- JSON object of texts
    auth_endpoint    TEXT                            -- JSON object
) STRICT;

CREATE TABLE project_environments (
    project_id     INTEGER NOT NULL REFERENCES projects (id),
    environment_id INTEGER NOT NULL REFERENCES environments (id),
    PRIMARY KEY (project_id, environment_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX project_environments_back ON project_environments (environment_id, project_id);

CREATE TABLE credentials (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    environment_id INTEGER NOT NULL REFERENCES environments (id),
    tag            TEXT    NOT NULL COLLATE NOCASE,
    kinds          TEXT    NOT NULL,             -- JSON list
    username       TEXT,
    secret_ref     TEXT,
    is_default     INTEGER NOT NULL,
    active         INTEGER NOT NULL DEFAULT 1,
    sealed         BLOB    NOT NULL,             -- the secrets; bound to this row's id
    UNIQUE (environment_id, tag)
) STRICT;
CREATE UNIQUE INDEX credentials_default ON credentials (environment_id) WHERE is_default = 1;

CREATE TABLE targets (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    environment_id INTEGER NOT NULL REFERENCES environments (id),
    name           TEXT    NOT NULL COLLATE NOCASE,
    target_type    TEXT    NOT NULL,
    base_url       TEXT    NOT NULL,
    app_tag        TEXT,
    application_id INTEGER REFERENCES applications (id),
    auth_config    TEXT,                         -- JSON object
    UNIQUE (environment_id, name),
    UNIQUE (environment_id, target_type, base_url)
) STRICT;

CREATE TABLE scenarios (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id     INTEGER NOT NULL REFERENCES projects (id),
    name           TEXT    NOT NULL COLLATE NOCASE,
    description    TEXT    NOT NULL DEFAULT '',
    app_tag        TEXT,
    credential_tag TEXT,
    auth_type      TEXT    NOT NULL,             -- NONE or CREDENTIAL
    tags           TEXT    NOT NULL DEFAULT '[]',  -- JSON list, as in table tags
    history_tags   TEXT    NOT NULL DEFAULT '[]',  -- JSON list: tags of its past runs
    environment_id INTEGER REFERENCES environments (id),
    step_count     INTEGER NOT NULL,
    version        INTEGER NOT NULL DEFAULT 1,
    updated_at     INTEGER NOT NULL,
    UNIQUE (project_id, name)
) STRICT;

CREATE TABLE scenario_versions (
    scenario_id INTEGER NOT NULL REFERENCES scenarios (id),
    version     INTEGER NOT NULL,
    yaml        TEXT    NOT NULL,
    definition  TEXT    NOT NULL,                -- the same normalised, JSON
    is_imported INTEGER NOT NULL DEFAULT 0,      -- made by an import, not by a person
    created_at  INTEGER NOT NULL,
    PRIMARY KEY (scenario_id, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE ui_tests (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id     INTEGER NOT NULL REFERENCES projects (id),
    name           TEXT    NOT NULL COLLATE NOCASE,
    driver         TEXT,
    app_tag        TEXT,
    credential_tag TEXT,
    description    TEXT    NOT NULL DEFAULT '',
    yaml           TEXT,
    tags           TEXT    NOT NULL DEFAULT '[]',  -- JSON list
    UNIQUE (project_id, name)
) STRICT;

CREATE TABLE ui_suites (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES projects (id),
    name       TEXT    NOT NULL COLLATE NOCASE,
    tests      TEXT    NOT NULL DEFAULT '[]',    -- JSON list of ids
    UNIQUE (project_id, name)
) STRICT;

CREATE TABLE pipelines (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id  INTEGER NOT NULL REFERENCES projects (id),
    name        TEXT    NOT NULL COLLATE NOCASE,
    description TEXT    NOT NULL DEFAULT '',
    stages      TEXT    NOT NULL DEFAULT '[]',   -- JSON
    UNIQUE (project_id, name)
) STRICT;

-- Tags of tests: static ones (past = 0) and those that only a run carried (past = 1).
CREATE TABLE tags (
    kind    TEXT    NOT NULL,                    -- api_scenario or ui_test
    test_id INTEGER NOT NULL,
    tag     TEXT    NOT NULL,
    past    INTEGER NOT NULL,
    PRIMARY KEY (kind, test_id, past, tag)
) STRICT, WITHOUT ROWID;
CREATE INDEX tags_by_tag ON tags (kind, tag, test_id);

CREATE TABLE executions (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    scenario_id    INTEGER NOT NULL REFERENCES scenarios (id),
    environment_id INTEGER NOT NULL REFERENCES environments (id),
    status         TEXT    NOT NULL,
    outcome        TEXT,
    total_steps    INTEGER NOT NULL,
    passed_steps   INTEGER NOT NULL DEFAULT 0,
    failed_steps   INTEGER NOT NULL DEFAULT 0,
    credential_tag TEXT,
    tags           TEXT    NOT NULL DEFAULT '[]',  -- JSON list
    created_at     INTEGER NOT NULL,
    started_at     INTEGER,
    ended_at       INTEGER,
    error          TEXT,
    steps          TEXT    NOT NULL DEFAULT '[]'   -- JSON list, masked
) STRICT;
CREATE INDEX executions_by_scenario ON executions (scenario_id, id);

CREATE TABLE agents (
    id          TEXT    PRIMARY KEY,
    name        TEXT    NOT NULL,
    version     TEXT    NOT NULL,
    engines     TEXT    NOT NULL,                -- JSON list
    unavailable TEXT    NOT NULL,                -- JSON list
    seen_at     INTEGER NOT NULL
) STRICT;

CREATE TABLE jobs (
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,  -- the order in which jobs are given out
    id            TEXT    NOT NULL UNIQUE,       -- UUID
    kind          TEXT    NOT NULL,              -- what an agent is asked to do
    engine        TEXT    NOT NULL,
    purpose       TEXT    NOT NULL,              -- execution, detect, parse or import
    status        TEXT    NOT NULL,
    execution_id  INTEGER REFERENCES executions (id),
    credential_id INTEGER REFERENCES credentials (id),
    context       TEXT    NOT NULL,              -- JSON: what the payload is made of, and what
                                                 -- is done with the result; never a secret
    attempt       INTEGER NOT NULL DEFAULT 0,
    agent_id      TEXT,
    lease_until   INTEGER,                       -- monotonic milliseconds
    done          INTEGER NOT NULL DEFAULT 0,
    total         INTEGER NOT NULL DEFAULT 0,
    text          TEXT    NOT NULL DEFAULT '',
    changes       INTEGER NOT NULL DEFAULT 0,    -- grows with every visible change
    batch         TEXT,                          -- of jobs of which only some may run at once
    batch_max     INTEGER,                       -- how many
    error_code    TEXT,
    error_message TEXT,
    result        TEXT,                          -- JSON
    created_at    INTEGER NOT NULL,
    ended_at      INTEGER
) STRICT;
CREATE INDEX jobs_open ON jobs (status, seq) WHERE status IN ('PENDING', 'RUNNING');
CREATE INDEX jobs_by_execution ON jobs (execution_id);
CREATE INDEX jobs_by_batch ON jobs (batch, status) WHERE batch IS NOT NULL;

CREATE TABLE idempotency (
    principal TEXT    NOT NULL,
    key       TEXT    NOT NULL,
    request   BLOB    NOT NULL,                  -- digest of method, path and body
    status    INTEGER NOT NULL,
    body      TEXT    NOT NULL,
    at        INTEGER NOT NULL,
    PRIMARY KEY (principal, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_by_time ON idempotency (at);
