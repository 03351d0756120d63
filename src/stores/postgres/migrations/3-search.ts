/**
 * The tables of the search index. It is made of the documents, and made anew if it is missing. Each way of reading documents has
 * an index of its own.
 */
export const search: string = `
create table search_editions (
  edition integer generated always as identity primary key,
  name text collate "C" not null unique,
  site text not null,
  place bigint not null,
  scanned bigint,
  whole boolean not null default false,
  used timestamptz not null default now()
);

create table search_documents (
  edition integer not null references search_editions on delete cascade,
  kind text collate "C" not null,
  id text collate "C" not null,
  doc bigint not null,
  weights real[] not null,
  words tsvector not null,
  forms tsvector not null,
  texts text not null,
  primary key (edition, kind, id)
) with (toast_tuple_target = 8160);
alter table search_documents alter column words set storage main;
create index search_documents_by_doc on search_documents (doc);
create index search_documents_by_word on search_documents using gin (words) with (fastupdate = on, gin_pending_list_limit = 16384);
create index search_documents_by_form on search_documents using gin (forms) with (fastupdate = on, gin_pending_list_limit = 16384);

create table search_forms (
  edition integer not null references search_editions on delete cascade,
  form text collate "C" not null,
  stem text collate "C" not null,
  nth bigint generated always as identity,
  primary key (edition, form)
);
create index search_forms_by_age on search_forms (edition, nth);
`
