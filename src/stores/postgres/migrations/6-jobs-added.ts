/** The time at which each job was added: how long the oldest one waits. */
export const jobsAdded: string = 'alter table jobs add column added bigint;'
