import { hidingKeys } from './hiding-words.ts'
import { plainName, yesOrNo } from './other-tools.ts'

/** A line of a text that is nothing but a word by which people and tools call it a draft, and its offset. */
export interface StrayWord {
  readonly line: string
  readonly at: number
}

/** Most bytes, and lines with something on them, that are looked at: nobody says it further down. */
const MOST_BYTES = 2048
const MOST_LINES = 20

/** Matches what may have such a word; most texts don't. */
const MAYBE =
  /draft|publi|privat|hidden|unlisted|listed|wip|embargo|scheduled|date|golive|stat|stage|visib|confidential|tags|keywords/i
/** Keys that hide where they say yes. All keys here are in small letters, without what is between words. */
const CLOSED: ReadonlySet<string> = new Set([
  ...['draft', 'drafts', 'wip', 'private', 'hidden', 'unlisted', 'unpublished', 'confidential', 'embargo', 'embargoed'],
  ...['nopublish', 'donotpublish', 'dontpublish'],
])
/** Keys that hide where they say no. */
const OPEN: ReadonlySet<string> = new Set(['published', 'publish', 'public', 'visible', 'listed'])
/** Matches keys that hide until the date that is their value. */
const FROM =
  /^(?:(?:pub|publish|published|publication|release|golive)(?:date|at|on)?|datepublished|embargo(?:ed)?(?:until)?|scheduled(?:at|for|on)?)$/
/** Matches what tools and people have before such a key: `page-draft`, `params.draft`, `is_draft`. */
const BEFORE_KEY = /^(?:(?:export)?hugo|page|params?|meta(?:data)?|post|site|article|doc(?:ument)?|current)?(?:is)?(?=\p{L})/u
/** States by which a text is called unfinished or not public: fewer than in front matter, where no sentence is taken for one. */
const UNFINISHED =
  /^(?:drafts?|wip|work in progress|unpublished|not published|in.?review|pending(?: review)?|scheduled|future|trash)$/i
const CLOSED_STATE = /^(?:hidden|private)$/i
const CLOSED_VISIBILITY = /^(?:unlisted|secret|confidential|internal|members?|paid|password|protected|restricted)$/i
const DATE = /^\d{4}[-/]\d\d?[-/]\d\d?(?:[T ][\d:.]+(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?)?$/
/** Matches a word that says it alone, where it is a remark or a tag. */
const ALONE = /^(?:drafts?|wip|unpublished|private|hidden|unlisted|confidential|(?:do not|don.?t|no|not) ?publish(?:ed)?)$/i
const TAGS = /^#[\p{L}\p{N}_/-]+(?:[\s,]+#[\p{L}\p{N}_/-]+)*$/u

/** Matches where remarks of any language begin. */
const REMARK = /^(?:<!--|\{\/\*|\/\*|\/\/|\{#|\{\{!|%|;|\.\. |\{%-?\s*comment|\[[^\]]*\]:\s*<?#)/
/** Matches code in a text: of a line, behind the sign of a list or a quotation; its fence; and what is set in. */
const CODE = /^[\s>*+-]*`/
const FENCE = /^ {0,3}(`{3,}|~{3,})/
const SET_IN = /^(?: {4}|\t)/
/** Match where tags of HTML and of templates begin and end code. */
const CODE_BEGINS = /^(?:<(?:pre|code)\b|\{\{[<%]\s*(?:code|highlight)|\{%-?\s*(?:highlight|raw|code))/i
const CODE_ENDS = /<\/(?:pre|code)>|\{\{[<%]\s*\/|\{%-?\s*end/i
/** Matches what a script has before a name, and before an object. */
const ASSIGNS = /^(?:(?:export|const|let|var|set|assign|default)\s+)+/
const ASSIGNED = /^(?:(?:export\s+)?default|(?:(?:export|const|let|var)\s+)*[\w$.]+\s*(?::\s*\w+\s*)?=)\s*\(?$/
const META = /^<meta\s/i
const TAG = /<\/?[a-z][^<>]*>/gi
/** Matches an attribute of AsciiDoc or reStructuredText that has no value, or is taken back. */
const ATTRIBUTE = /^:(!?)([\w.-]+)(!?):$/
/** Matches a key and its value, with whatever signs between them. */
const PAIR = /^(\p{L}[\p{L}\p{N}_. -]{0,40}?)[^\p{L}\p{N}]{0,8}[:=|][^\p{L}\p{N}]{0,8}([\p{L}\p{N}].*)$/u
const LETTER = /[\p{L}\p{N}]/u

/**
 * Returns the first line among those at the beginning of a text from `from` on which, without the signs around it, is a key that
 * keeps texts from the public and its value, and nothing else: `**Status:** draft`, `<!-- draft -->`, `export const draft = true`.
 * Code in Markdown is passed over.
 */
export function strayWord(bytes: Buffer, from: number, now: number): StrayWord | undefined {
  const text = bytes.toString('latin1', from, from + MOST_BYTES)
  if (!MAYBE.test(text)) return undefined
  const reader = new LineReader()
  let [at, seen] = [from, 0]
  for (const raw of text.match(/[^\r\n]*(?:\r\n?|\n|$)/g) ?? []) {
    const isCut = at + raw.length === from + MOST_BYTES && at + raw.length < bytes.length
    if (isCut || seen === MOST_LINES) return undefined
    const written = Buffer.from(raw, 'latin1').toString()
    const line = written.trim()
    if (reader.isText(written) && says(line, reader.isRemark || REMARK.test(line), now)) {
      return { line: line.slice(0, 200), at: at + raw.search(/\S/) }
    }
    reader.pass(line)
    if (line !== '') seen++
    at += raw.length
  }
  return undefined
}

/** Tells of the lines of a text, one by one, which are code and which are in a remark. */
class LineReader {
  isRemark = false
  #fence = ''
  #isBehindBlank = true
  #isCode = false
  #isTagged = false

  /** Returns whether a line is text. */
  isText(written: string): boolean {
    const line = written.trim()
    const [, marks = ''] = FENCE.exec(written) ?? []
    if (this.#fence !== '') {
      if (line === marks && marks.startsWith(this.#fence)) this.#fence = ''
      return false
    }
    this.#fence = marks
    const isTagged = this.#isTagged || CODE_BEGINS.test(line)
    this.#isTagged = isTagged && !CODE_ENDS.test(line)
    if (isTagged) return false
    this.#isCode = SET_IN.test(written) && !this.isRemark && (this.#isBehindBlank || this.#isCode)
    return marks === '' && line !== '' && !this.#isCode && !CODE.test(line)
  }

  pass(line: string): void {
    this.#isBehindBlank = line === ''
    const opened = Math.max(line.lastIndexOf('<!--'), line.lastIndexOf('/*'))
    const closed = Math.max(line.lastIndexOf('-->'), line.lastIndexOf('*/'))
    if (opened !== closed) this.isRemark = opened > closed && this.#fence === ''
  }
}

function says(line: string, isRemark: boolean, now: number): boolean {
  if (TAGS.test(line)) return line.split(/[\s,]+/).some((tag) => ALONE.test(tag.slice(1)))
  const text = META.test(line) ? line : line.replace(TAG, '')
  const core = withoutSigns(
    withoutSigns(text)
      .replace(/^comment\b/, '')
      .replace(/\bendcomment$/, ''),
  )
  return (isRemark && ALONE.test(core)) || pairsOn(text, core).some(([key, value]) => hides(key, value, now))
}

/** Returns the keys on a line with their values; an object of a script may have several. */
function pairsOn(line: string, core: string): (readonly [key: string, value: string])[] {
  if (META.test(line)) return [[attribute(line, 'name|property|itemprop'), attribute(line, 'content')]]
  const [, before, name, after] = ATTRIBUTE.exec(line) ?? []
  if (name !== undefined) return [[name, before || after ? 'no' : 'yes']]
  return piecesOf(line, core).map((piece) => {
    const [, key = '', value = ''] = PAIR.exec(withoutSigns(piece).replace(ASSIGNS, '')) ?? []
    return [key, value] as const
  })
}

function piecesOf(line: string, core: string): string[] {
  const [begin, end] = [line.indexOf('{'), line.lastIndexOf('}')]
  if (begin < 0) return line.startsWith('"') ? line.split(',') : [core]
  const before = line.slice(0, begin).trim()
  const isObject = (!LETTER.test(before) || ASSIGNED.test(before)) && !LETTER.test(line.slice(Math.max(end, 0) + 1))
  return isObject ? line.slice(begin).split(/[{},]/) : [core]
}

function attribute(tag: string, names: string): string {
  return new RegExp(`\\s(?:${names})\\s*=\\s*["']?([^"'<>]*)`, 'i').exec(tag)?.[1] ?? ''
}

/** Returns a text without what is no letter and no digit at its ends: all signs of remarks, lists, headings and emphasis are that. */
function withoutSigns(text: string): string {
  const begin = text.search(LETTER)
  if (begin < 0) return ''
  const characters = Array.from(text.slice(begin))
  while (!LETTER.test(characters.at(-1) ?? 'a')) characters.pop()
  return characters.join('')
}

function hides(key: string, value: string, now: number): boolean {
  const name = plainName(key).replace(/[\s._-]/g, '')
  const said = withoutSigns(value.replace(/\s#.*$/, ''))
  return hidesAs(name, said, now) || hidesAs(name.replace(BEFORE_KEY, ''), said, now)
}

function hidesAs(name: string, value: string, now: number): boolean {
  if (CLOSED.has(name) && (yesOrNo(value) === true || UNFINISHED.test(value))) return true
  if (OPEN.has(name) && yesOrNo(value) === false) return true
  if (/^(?:(?:publish|published|publication)?(?:status|state)|stage)$/.test(name))
    return UNFINISHED.test(value) || CLOSED_STATE.test(value)
  if (name === 'visibility') return [UNFINISHED, CLOSED_STATE, CLOSED_VISIBILITY].some((states) => states.test(value))
  if (name === 'tags' || name === 'keywords')
    return value.split(',').some((tag) => /^(?:draft|private)$/i.test(withoutSigns(tag)))
  return FROM.test(name) && DATE.test(value) && hidingKeys({ publishdate: value }, now).length > 0
}
