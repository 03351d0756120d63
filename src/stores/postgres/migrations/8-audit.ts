/** The audit log, found by time, and by time for who did it, what was done, and to what; and where its requests came from. */
export const audit: string = `
create table audit (
  id text collate "C" primary key,
  at bigint not null,
  actor text,
  action text not null,
  outcome text not null,
  kind text collate "C",
  type text collate "C",
  target text,
  request text,
  entry text not null
);
create index audit_at on audit (at desc, id desc);
create index audit_actor on audit (actor, at desc, id desc) where actor is not null;
create index audit_action on audit (action, at desc, id desc);
create index audit_target on audit (target, at desc, id desc) where target is not null;
create index audit_type on audit (type) where kind = 'record';
create table audit_requests (
  request text primary key,
  at bigint not null,
  via text,
  ip text
);
create index audit_requests_at on audit_requests (at);
`
