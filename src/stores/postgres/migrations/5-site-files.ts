/** The files of a site that are no documents: the bytes of each are a blob. */
export const siteFiles: string = `
create table site_files (
  area text collate "C" not null,
  path text collate "C" not null,
  ref text collate "C" not null,
  size bigint not null,
  primary key (area, path)
);
create index site_files_by_ref on site_files (ref);
`
