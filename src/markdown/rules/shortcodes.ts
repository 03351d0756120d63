import type { Env, MarkdownIt as Parser, StateBlock, StateInline, Token } from 'markdown-it'
import { type ShortcodeCall, type ShortcodeHtml, ShortcodeMarks, type Shortcodes } from '../shortcodes.ts'

/** The tag of a shortcode in a text: which it is, and where it ends. */
interface Tag {
  readonly name: string
  readonly args: Readonly<Record<string, string>>
  readonly isEnd: boolean
  readonly length: number
}

const SHORTCODES = Symbol('shortcodes')
const MARKS = Symbol('marks of shortcodes')
const BEGIN = /\{\{<[ \t\n]*(?:(\/)[ \t\n]*)?([a-z][\w-]{0,60}(?:\/[\w-]{1,60}){0,4})/iy
const ARGUMENT = /\s+(?:([a-z_][\w-]{0,60})\s*=\s*)?(?:"((?:[^"\\]|\\.)*)"|`([^`]*)`|([^\s"`<>={}]+))/iy
const TAGS = /\{\{<[ \t\n]*(?:(\/)[ \t\n]*)?([a-z][\w-]{0,60}(?:\/[\w-]{1,60}){0,4})/gi
const END = /\s*\/?>\}\}/y
const LONGEST = 2000
const MOST_ARGUMENTS = 50

/** Has a text that is parsed with this environment use shortcodes. A text that one of them does not show is not in its tokens. */
export function useShortcodes(env: Env, shortcodes: Shortcodes): ShortcodeMarks {
  const marks = new ShortcodeMarks()
  env[SHORTCODES] = shortcodes
  env[MARKS] = marks
  return marks
}

/**
 * Adds shortcodes that are known: `{{< name a="b" >}}`, alone on its lines or in a text, and `{{< name >}}…{{< /name >}}` around a
 * text. All others stay text.
 */
export function addShortcodes(md: Parser): void {
  md.block.ruler.before('fence', 'shortcode', block, { alt: ['paragraph', 'reference', 'blockquote', 'list'] })
  md.inline.ruler.before('escape', 'shortcode', inline)
  // Before footnotes are gathered, and headings named: what is not shown has none.
  md.core.ruler.after('inline', 'shortcodes', (state) => {
    const shortcodes = known(state.env)
    if (!shortcodes) return
    pair(state.tokens)
    state.tokens = shown(state.tokens, shortcodes)
  })
  const rendered = (tokens: readonly Token[], index: number, env: Env | undefined) => {
    const token = tokens[index]
    const marks = env?.[MARKS] as ShortcodeMarks | undefined
    if (!token || !marks) return ''
    const begin = token.meta?.begin as Token | undefined
    if (begin) return marks.end(String(begin.meta?.mark))
    const tag = tagOf(token)
    if (tag.isEnd) return md.utils.escapeHtml(token.content)
    const mark = marks.begin(callOf(token))
    token.meta = { ...token.meta, mark }
    return mark
  }
  md.renderer.rules.shortcode_inline = (tokens, index, _options, env) => rendered(tokens, index, env)
  md.renderer.rules.shortcode_block = (tokens, index, _options, env) => `${rendered(tokens, index, env)}\n`
}

function known(env: Env): Shortcodes | undefined {
  return env[SHORTCODES] as Shortcodes | undefined
}

function callOf(token: Token): ShortcodeCall {
  const { name, args } = tagOf(token)
  return { name, args, hasInner: token.meta?.hasInner === true }
}

/** Tokens without those that a shortcode is around and does not show. */
function shown(tokens: readonly Token[], shortcodes: Shortcodes): Token[] {
  const left: Token[] = []
  let hiding: Token | undefined
  for (const token of tokens) {
    if (hiding && token.meta?.begin !== hiding) continue
    hiding = undefined
    if (token.meta?.hasInner && isSilent(shortcodes.html(callOf(token)))) hiding = token
    if (token.children) token.children = shown(token.children, shortcodes)
    left.push(token)
  }
  return left
}

function isSilent(made: ShortcodeHtml | undefined): boolean {
  return made !== undefined && made.after === undefined
}

/** Returns a beginning of a text up to a shortcode that ends behind it: what that is around may be nothing to show. */
export function upToOpenShortcode(begin: string, text: string): string {
  const open: { name: string; index: number }[] = []
  for (const { 1: end = '', 2: name = '', index } of begin.matchAll(TAGS)) {
    if (end === '') open.push({ name, index })
    else {
      const begun = open.findLastIndex((tag) => tag.name === name)
      if (begun >= 0) open.length = begun
    }
  }
  if (open.length === 0) return begin
  const ends = new Set([...text.matchAll(TAGS)].flatMap(([, end, name]) => (end === '/' && name ? [name] : [])))
  return begin.slice(0, open.find(({ name }) => ends.has(name))?.index)
}

/** Reads the tag of a shortcode that begins at an offset; undefined where there is none, or none that is known. */
function tagAt(src: string, at: number, env: Env): Tag | undefined {
  const shortcodes = known(env)
  if (!shortcodes || !src.startsWith('{{<', at)) return undefined
  const text = src.slice(at, at + LONGEST)
  BEGIN.lastIndex = 0
  const [begin = '', end = '', name = ''] = BEGIN.exec(text) ?? []
  if (name === '' || !shortcodes.has(name)) return undefined
  const args: Record<string, string> = {}
  let [offset, unnamed] = [begin.length, 0]
  for (let n = 0; n <= MOST_ARGUMENTS; n++) {
    END.lastIndex = offset
    if (END.test(text)) return { name, args: { ...args }, isEnd: end !== '', length: END.lastIndex }
    ARGUMENT.lastIndex = offset
    const [whole, key, quoted, raw, bare] = ARGUMENT.exec(text) ?? []
    if (whole === undefined) return undefined
    offset += whole.length
    const value = quoted === undefined ? (raw ?? bare ?? '') : quoted.replace(/\\(["\\])/g, '$1')
    if (key !== '__proto__') args[key ?? String(unnamed++)] = value
  }
  return undefined
}

function block(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const start = (state.bMarks[startLine] ?? 0) + (state.tShift[startLine] ?? 0)
  if (state.src.charCodeAt(start) !== 123 || (state.sCount[startLine] ?? 0) - state.blkIndent >= 4) return false
  const tag = tagAt(state.src, start, state.env)
  if (!tag) return false
  let line = startLine
  while (line < endLine && (state.eMarks[line] ?? 0) < start + tag.length) line++
  if (line >= endLine || state.skipSpaces(start + tag.length) < (state.eMarks[line] ?? 0)) return false
  if (silent) return true
  const token = state.push('shortcode_block', '', 0)
  token.block = true
  token.map = [startLine, line + 1]
  token.content = state.src.slice(start, start + tag.length)
  token.meta = { tag }
  state.line = line + 1
  return true
}

function inline(state: StateInline, silent: boolean): boolean {
  if (state.src.charCodeAt(state.pos) !== 123) return false
  const tag = tagAt(state.src, state.pos, state.env)
  if (!tag || state.pos + tag.length > state.posMax) return false
  if (!silent) {
    const token = state.push('shortcode_inline', '', 0)
    token.content = state.src.slice(state.pos, state.pos + tag.length)
    token.meta = { tag }
  }
  state.pos += tag.length
  return true
}

function tagOf(token: Token): Tag {
  return token.meta?.tag as Tag
}

/** Finds the tags that end others: in the same block, or in the same part of a text. */
function pair(tokens: readonly Token[]): void {
  const scopes = [new OpenTags()]
  for (const token of tokens) {
    if (token.children) pair(token.children)
    if (token.nesting > 0) scopes.push(new OpenTags())
    else if (token.nesting < 0 && scopes.length > 1) scopes.pop()
    if (token.type !== 'shortcode_block' && token.type !== 'shortcode_inline') continue
    const tag = tagOf(token)
    if (!tag.isEnd) scopes.at(-1)?.begin(token)
    else {
      const begin = scopes.at(-1)?.end(tag.name)
      if (!begin) continue
      begin.meta = { ...begin.meta, hasInner: true }
      token.meta = { ...token.meta, begin }
    }
  }
}

/** The tags of one block that may have an end. */
class OpenTags {
  readonly #tags: Token[] = []
  readonly #held = new Map<string, number>()

  begin(token: Token): void {
    this.#tags.push(token)
    this.#count(tagOf(token).name, 1)
  }

  /** Returns the last tag of that name; those after it have no end. */
  end(name: string): Token | undefined {
    if ((this.#held.get(name) ?? 0) === 0) return undefined
    for (let last = this.#tags.pop(); last; last = this.#tags.pop()) {
      this.#count(tagOf(last).name, -1)
      if (tagOf(last).name === name) return last
    }
    return undefined
  }

  #count(name: string, by: number): void {
    this.#held.set(name, (this.#held.get(name) ?? 0) + by)
  }
}
