/** The table of marks by which writes are recognized whose answer was lost: see `marks.ts`. A process has a row or a few. */
export const marks: string = `
create table marks (
  slot uuid primary key,
  nth bigint not null,
  at timestamptz not null default now()
);
`
