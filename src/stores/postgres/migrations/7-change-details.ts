/** Of each change what the document was and is, and where it was asked for. */
export const changeDetails: string = `
alter table changes add column detail text;
`
