import anyAscii from 'any-ascii'
import { composed } from './normal-form.ts'

/** Characters of a name that are read; the rest does not change its slug. */
const MOST_READ = 4096
const PLAIN = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
/** Letters, digits and the signs between words that are left alone by all that is done to others. */
const PLAIN_WORDS = /^[A-Za-z0-9 _.,:;!?()/-]+$/
/** The source of a pattern for a letter, digit or mark of a script that is not transliterated. */
export const KEPT_LETTER =
  '(?:(?![\\p{scx=Latin}\\p{scx=Greek}\\p{scx=Cyrillic}\\p{scx=Common}\\p{scx=Inherited}])[\\p{L}\\p{M}\\p{N}])'
const PARTS = new RegExp(`(${KEPT_LETTER}+)`, 'u')
/** Signs that tell names from each other: `C`, `C++` and `C#`. */
const SPOKEN: Readonly<Record<string, string>> = { '+': 'plus', '#': 'sharp', '&': 'and', '@': 'at', '%': 'percent' }
/** Joiners without a glyph of their own, and apostrophes: removed without splitting a word. */
const LEFT_OUT = /\u200c|\u200d|\ufe0f|['’`]/gu

/**
 * `name` as lower-case words joined by `-`, at most `max` characters, cut at a word; '' where nothing is left. Latin, Greek and
 * Cyrillic become ASCII, letters and digits of other scripts stay as they are, `+ # & @ %` are words.
 */
export function slugify(name: string, max = 100): string {
  const text = name.slice(0, MOST_READ)
  if (text.length <= max && PLAIN.test(text)) return text
  if (PLAIN_WORDS.test(text)) return cut(joined(text.replace(/[^A-Za-z0-9]+/g, '-')), max)
  const parts = composed(text).replace(LEFT_OUT, '').split(PARTS)
  return cut(joined(parts.map((part, at) => (at % 2 === 1 ? part : ascii(part))).join('')), max)
}

/** As `slugify`, with every script transliterated: for names that have to be ASCII. */
export function asciiSlug(text: string, max = 100): string {
  return cut(joined(ascii(composed(text.slice(0, MOST_READ)).replace(LEFT_OUT, ''))), max)
}

function joined(words: string): string {
  return composed(words.toLowerCase())
    .replace(/^-+|-+$/g, '')
    .replace(/-{2,}/g, '-')
}

/** Reduces text in a script that is not kept to words of a-z and 0-9, with a `-` for each other run. */
function ascii(text: string): string {
  const spoken = text.replace(/[+#&@%]/g, (sign) => ` ${SPOKEN[sign]} `)
  return anyAscii(spoken)
    .replace(/['’`]/g, '')
    .replace(/[^A-Za-z0-9]+/g, '-')
}

function cut(words: string, max: number): string {
  if (words.length <= max) return words
  if (words[max] === '-') return words.slice(0, max)
  const end = words.lastIndexOf('-', max)
  if (end > 0) return words.slice(0, end)
  // Half a surrogate pair is cut off.
  return words.slice(0, /[\ud800-\udbff]/.test(words[max - 1] ?? '') ? max - 1 : max)
}
