import { bodyText, type FrontMatter } from '#frontmatter/read.ts'
import type { Document } from '../document.ts'
import { readRaw } from './raw.ts'

/** Returns the raw content of a readable record: as text with front matter if it parses as such, else as data only. */
export function rawOf({ source, body, key }: Document): FrontMatter | undefined {
  if (!source) return undefined
  for (const extension of ['md', 'yaml']) {
    const raw = readRaw(source, { extension }, key.id)
    if (!('problem' in raw) && bodyText(source, raw) === body) return raw
  }
  return undefined
}
