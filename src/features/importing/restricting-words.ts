/** Words, as a regular expression has them, in names of tags and blocks that keep from some readers what they are around. */
export const RESTRICTING =
  '(?<!team[-_]?)member|restrict|private|protect|logged|login(?!out)|paywall|paid|premium[-_]content|subscriber|hide|hidden|secret|access(?!ib|or)|visitor'
