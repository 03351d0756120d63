import type { Draft } from '#fulltext/segments/build.ts'

/** Words of which some share a stem, and one is a stop word. */
export const WORDS = ['river', 'rivers', 'running', 'runs', 'stone', 'stones', 'gate', 'gates', 'lamp', 'amber', 'ambers', 'the']

/** A document to be indexed, of which the number is its key and its version. */
export function draft(n: number, title: string, tags: string[], body: string): Draft {
  const facts = { key: `posts/p${n}`, version: n.toString(16).padStart(40, '0'), kind: 'posts', status: 'published' }
  return {
    facts: { ...facts, begins: Number.NEGATIVE_INFINITY, ends: Number.POSITIVE_INFINITY },
    text: { title, tags, body: [body] },
  }
}
