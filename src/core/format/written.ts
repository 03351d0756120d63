import type { Document } from '../document.ts'
import { bodyText, type Raw, readRaw } from './raw.ts'

/** What a readable record holds as it is written: as text with front matter where it reads so, else as data alone. */
export function rawOf({ source, body, key }: Document): Raw | undefined {
  if (!source) return undefined
  for (const extension of ['md', 'yaml']) {
    const raw = readRaw(source, { extension }, key.id)
    if (!('problem' in raw) && bodyText(source, raw) === body) return raw
  }
  return undefined
}
