import type { Fields } from '#lib/json.ts'
import { plainName, yesOrNo } from './other-tools.ts'

/** A word by which a tool shows a text. Where one text says it, the tool shows none that does not. */
export type ShowingWord = 'dg-publish: true' | 'public:: true' | 'publish: true'

/** Matches the property of a page of Logseq's, which stands before its first block or in it. */
const PROPERTY = /^(?:- )?public::[ \t]{0,9}true[ \t]*$/im
/** Number of characters of a text in which its properties are looked for. */
const MOST_PROPERTIES = 2000

/** Returns the words that a text is shown by: Digital Garden's and Logseq's, and `publish` where `isExplicit`, as in Quartz. */
export function showingWords(data: Readonly<Fields>, body: string, isExplicit: boolean): ShowingWord[] {
  const says = (key: string) => Object.entries(data).some(([name, value]) => plainName(name) === key && yesOrNo(value) === true)
  const [properties = ''] = body.slice(0, MOST_PROPERTIES).split(/\r?\n[ \t]*\r?\n- /, 1)
  return [
    ...(says('dg-publish') ? (['dg-publish: true'] as const) : []),
    ...(PROPERTY.test(properties) ? (['public:: true'] as const) : []),
    ...(isExplicit && says('publish') ? (['publish: true'] as const) : []),
  ]
}

/** Returns whether a configuration of Quartz has it show only what says `publish: true`. */
export function isExplicitQuartz(config: string): boolean {
  return /^(?![ \t]*\/\/)[^\n]{0,2000}\bExplicitPublish\(/m.test(config)
}
