import { Conflict } from '#lib/errors.ts'
import { lineEndOf } from './body.ts'
import type { Edits } from './edits.ts'
import { LANGUAGES } from './languages.ts'
import { type FrontMatter, headText } from './read.ts'

/**
 * The bytes of a file with top-level keys set or removed (undefined), in the line ends it has; one without front matter gets some in YAML.
 * Throws Conflict where that is not safe.
 */
export function withKeys(bytes: Buffer, { data, parts }: FrontMatter, edits: Edits): Buffer {
  const eol = lineEndOf(bytes) ?? '\n'
  const { syntax, headStart, headEnd } = parts
  const isMixed = eol !== '\r' && /\r(?!\n)/.test(bytes.toString('utf8', headStart, headEnd))
  if (isMixed) throw new Conflict('The line ends of this file are mixed.', undefined, 'Give all its lines the same line end.')
  const { splice, open, close } = LANGUAGES[syntax === 'none' ? 'yaml' : syntax]
  const text = splice(headText(bytes, parts), data, edits, eol === '\r' ? '\n' : eol)
  const head = eol === '\r' ? text.replaceAll('\n', '\r') : text
  const written = syntax === 'none' ? `${open}${eol}${head}${close}${eol}${eol}` : head
  return Buffer.concat([bytes.subarray(0, headStart), Buffer.from(written), bytes.subarray(headEnd)])
}
