/** The revisions by time: what was last done is the first of it that nothing was done after. */
export const revisionsByTime: string = `
create index revisions_by_time on revisions (at desc, kind, id);
`
