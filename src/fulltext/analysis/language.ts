import { createRequire } from 'node:module'
import lunr from 'lunr'
import { fold } from './folding.ts'

const ZERO = 0x30
const NINE = 0x39

/** The rules of a language for the analyser. */
export interface Language {
  /** The first part of the locale, in small letters. */
  readonly name: string
  /** True if an apostrophe separates two words (l'eau) instead of being within one (don't). */
  readonly splits: boolean
  /** True if a stem has the first two letters of each of its words, provided these are in a to z. */
  readonly keepsBeginnings: boolean
  /** Returns the stem of a folded word, or '' for a stop word. */
  stem(form: string): string
}

type StemmerOfWord = (word: string) => string

/**
 * The parts of lunr-languages that stem or know stop words; those of scripts without spaces cut words in ways of their own and
 * are not used.
 */
export const LUNR_LANGUAGES: ReadonlySet<string> = new Set(
  'ar da de el es fi fr he hu hy it ko nl no pl pt ro ru sv tr'.split(' '),
)
const NAMES: ReadonlyMap<string, string> = new Map([
  ['nb', 'no'],
  ['nn', 'no'],
  ['iw', 'he'],
])
const SPLITTING: ReadonlySet<string> = new Set(
  'br ca co eo es eu fr fur ga gl it lb lij mt oc pt rm ro scn sq tr vec wa'.split(' '),
)

/** Finnish makes one letter of two, Turkish another of the last: in short words these are among the first. */
const LOSING: ReadonlySet<string> = new Set(['fi', 'tr'])

/** The language of a locale such as `de-AT`. One that Lunr does not know has neither stems nor stop words. */
export function languageOf(locale: string): Language {
  const first = locale.split(/[-_]/, 1)[0]?.toLowerCase() ?? ''
  const name = NAMES.get(first) ?? first
  return { name, splits: SPLITTING.has(name), keepsBeginnings: !LOSING.has(name), stem: stemOf(name) }
}

function stemOf(name: string): StemmerOfWord {
  if (name === 'en') return english
  return LUNR_LANGUAGES.has(name) ? otherLanguage(name) : (form) => form
}

function english(form: string): string {
  // All that is stemmed is letters at the end: numbers and hashes are spared the rules.
  const last = form.charCodeAt(form.length - 1)
  if (last >= ZERO && last <= NINE) return form
  const token = new lunr.Token(form, {})
  // The types leave out that a filter gives nothing for what it takes away.
  const kept: lunr.Token | undefined = lunr.stopWordFilter(token)
  return kept === undefined ? '' : lunr.stemmer(token).toString() || form
}

/** A substitute for Lunr that a language package extends. It leaves Lunr itself unchanged and exposes the stop words. */
interface StandIn {
  Pipeline: { registerFunction: () => void }
  generateStopWordFilter: (words: readonly string[]) => () => void
  [language: string]: unknown
}

function otherLanguage(name: string): StemmerOfWord {
  const require = createRequire(import.meta.url)
  const stops = new Set<string>()
  const standIn: StandIn = Object.assign(Object.create(lunr), {
    Pipeline: { registerFunction: () => undefined },
    generateStopWordFilter: (words: readonly string[]) => {
      for (const word of words) stops.add(fold(word))
      return () => undefined
    },
  })
  require('lunr-languages/lunr.stemmer.support')(standIn)
  require(`lunr-languages/lunr.${name}`)(standIn)
  const { stemmer } = standIn[name] as { stemmer: StemmerOfWord }
  return (form) => (stops.has(form) ? '' : stemmer(form) || form)
}
