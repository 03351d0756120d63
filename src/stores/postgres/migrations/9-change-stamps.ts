/** By which write a change was made: its number alone is that of another one, where the database was set back meanwhile. */
export const changeStamps: string = `
alter table changes add column stamp text;
`
