/** The tables as they were first made. Never changed again: what comes later is a migration of its own. */
export const first: string = `
create table site (
  name text not null,
  place bigint not null,
  moved_to text,
  moved_at text,
  arriving text
);
create unique index site_is_one on site ((true));
insert into site (name, place) values (gen_random_uuid()::text, 0);

create table documents (
  doc bigint generated always as identity,
  kind text collate "C" not null,
  id text collate "C" not null,
  folded text collate "C" not null,
  file text not null,
  bytes bytea not null,
  version text not null,
  head text not null,
  problem text,
  shape text not null,
  readable boolean not null,
  status text collate "C",
  published double precision,
  expires double precision,
  created_at text collate "C",
  updated_at text collate "C",
  primary key (doc) include (kind, id, readable, status, published, expires),
  unique (kind, id)
);
create index documents_case on documents (kind, folded);
create index documents_newest on documents (kind, published desc nulls last, id) include (doc, status, expires) where readable;
create index documents_over on documents (kind, expires) where expires is not null;
create index documents_with_problems on documents (kind) where problem is not null;
create index documents_by_shape on documents (kind, shape);

create table facts (
  doc bigint not null references documents on delete cascade,
  kind text collate "C" not null,
  field text collate "C" not null,
  nth integer not null,
  text text collate "C",
  whole text collate "C",
  number double precision,
  instant double precision,
  type smallint not null,
  folded text collate "C",
  primary key (doc, field, nth)
);
create index facts_by_text on facts (kind, field, text) include (doc, nth) where text is not null;
create index facts_of_length on facts (kind, field, doc) include (nth) where whole is not null;
create index facts_by_number on facts (kind, field, number) include (doc, nth) where number is not null;
create index facts_by_instant on facts (kind, field, instant) include (doc, nth) where instant is not null;

create table writes (
  place bigint primary key,
  at bigint not null,
  name text not null,
  email text not null,
  message text not null,
  number bigint,
  action text,
  request text,
  moved_from text collate "C"
);

create table revisions (
  kind text collate "C" not null,
  id text collate "C" not null,
  place bigint not null references writes,
  number bigint not null,
  at text collate "C" not null,
  action text not null,
  file text not null,
  version text,
  bytes bytea,
  moved_from text collate "C",
  is_end boolean not null default false,
  primary key (kind, id, place)
);
create index revisions_of_write on revisions (place);

create table changes (
  place bigint primary key,
  kind text collate "C" not null,
  id text collate "C" not null,
  removed boolean not null
);

create table once (
  once text primary key,
  place bigint not null,
  at bigint not null
);
create index once_by_age on once (at);

create table ledger (
  name text collate "C" primary key,
  value text not null,
  until bigint not null
);
create index ledger_by_end on ledger (until);

create table jobs (
  job bigint generated always as identity primary key,
  name text not null,
  data text not null,
  due bigint not null,
  tries integer not null default 0
);
create index jobs_by_due on jobs (due, job);

create table blobs (
  blob bigint generated always as identity primary key,
  ref text collate "C" unique,
  size bigint not null default 0,
  at bigint not null
);
create index blobs_begun on blobs (at) where ref is null;
create table blob_parts (
  blob bigint not null references blobs on delete cascade,
  nth integer not null,
  bytes bytea not null,
  primary key (blob, nth)
);
alter table blob_parts alter column bytes set storage external;
`
