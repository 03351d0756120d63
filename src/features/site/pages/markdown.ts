import MarkdownIt, { type Env, type MarkdownIt as Parser, type Token } from 'markdown-it'
import { leaveFootnotes } from '#core/links/footnotes.ts'
import { FreeNames } from '#lib/free-names.ts'
import { withFileAddresses } from '../files/raw-html.ts'
import { clean, SCROLLING } from './clean.ts'

/** The options for rendering a body to HTML. `trusted` leaves raw HTML as it is, but for what `fileAt` knows. */
export interface BodyOptions {
  /** The page's title: a first heading that says the same is left out. */
  title: string
  trusted: boolean
  /** Returns the href that a link has in the page. */
  resolve: (href: string) => string
  /** As `resolve`, of files beside records; undefined for any other link. */
  fileAt?: (href: string) => string | undefined
}

const MDX_MODULE_LINE = /^(?:import\s+['"]|import\s.*\sfrom\s+['"]|export\s+(?:const|let|default|function|async)\s)/
const EXCERPT_LENGTH = 220

/**
 * CommonMark with tables and strike-through to HTML by markdown-it: headings with ids, wide tables that scroll, lazy images, no
 * dead or scripted link.
 */
export class Markdown {
  readonly #md: Parser
  readonly #quick = new MarkdownIt({ html: true })

  constructor() {
    this.#md = new MarkdownIt({ html: true, linkify: true, typographer: false })
    // Only what is plainly an address becomes a link: README.md is a file, not a host in Moldova.
    this.#md.linkify.set({ fuzzyLink: false, fuzzyEmail: false })
    // Its patterns know every script's punctuation and are slow, and `test` is asked before `match`: one look for what an address
    // must have will do.
    const match = this.#md.linkify.match.bind(this.#md.linkify)
    this.#md.linkify.test = (text) => /:\/\/|mailto:/i.test(text)
    this.#md.linkify.match = (text) => match(text) ?? []
    addRules(this.#md)
    leaveFootnotes(this.#md)
    leaveFootnotes(this.#quick)
  }

  /** The HTML of a body. Raw HTML in it is cleaned unless the type is trusted. */
  render(body: string, options: BodyOptions): string {
    const source = withoutModuleLines(body)
    const env: Env = {}
    const tokens = withoutTitle(this.#md.parse(source, env), options.title)
    demote(tokens)
    nameHeadings(tokens)
    const dirty = !options.trusted && tokens.some(isRaw)
    if (!dirty) resolveLinks(tokens, options.resolve)
    if (options.trusted && options.fileAt) resolveRaw(tokens, options.fileAt)
    env.isCleaned = dirty
    const html = this.#md.renderer.render(tokens, this.#md.options, env)
    return dirty ? clean(html, options.resolve) : html
  }

  /** The first paragraph as plain text, cut at a word; '' where there is none. */
  excerpt(body: string): string {
    const tokens = this.#quick.parse(withoutModuleLines(body.slice(0, 6000)).slice(0, 1500), {})
    const unread = new Unread()
    for (const [index, token] of tokens.entries()) {
      if (token.type === 'html_block') unread.pass(token.content)
      if (token.type !== 'inline') continue
      const text = plainText(token, unread)
      const isParagraph = tokens[index - 1]?.type === 'paragraph_open' && token.level === 1
      if (isParagraph && text !== '') return cut(text, EXCERPT_LENGTH)
    }
    return ''
  }
}

/** At most `length` characters of a text, cut at a word, with an ellipsis where something is left out. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text
  const part = text.slice(0, length + 1)
  const end = part.lastIndexOf(' ')
  return `${part.slice(0, end > length / 2 ? end : length).replace(/[\s,;:.–—-]+$/, '')}…`
}

/**
 * An MDX file begins with `import` and `export` lines: they are code, each block ending at a blank line, and no part of the text.
 */
function withoutModuleLines(body: string): string {
  const blocks = /^\s*(?:import|export)\s/.test(body) ? body.trimStart().split(/\n[ \t]*\n/) : undefined
  if (blocks === undefined) return body
  const first = blocks.findIndex((block) => !MDX_MODULE_LINE.test(block.trimStart().split('\n', 1)[0] ?? ''))
  return first < 0 ? '' : blocks.slice(first).join('\n\n')
}

function addRules(md: Parser): void {
  const rules = md.renderer.rules
  // What scrolls is reached with the keyboard, and said to be what it is.
  rules.table_open = (_tokens, _index, _options, env) => (env?.isCleaned ? '<table>\n' : `${SCROLLING}\n<table>\n`)
  for (const name of ['fence', 'code_block'] as const) {
    const plain = rules[name]
    rules[name] = (...args) => plain?.(...args).replace(/^<pre>/, '<pre tabindex="0" role="group" aria-label="Code">') ?? ''
  }
  rules.table_close = (_tokens, _index, _options, env) => (env?.isCleaned ? '</table>\n' : '</table>\n</div>\n')
  for (const cell of ['th_open', 'td_open']) {
    rules[cell] = (tokens, index) => {
      const token = tokens[index]
      // The site's content security policy allows no style attributes.
      const side = /text-align:(\w+)/.exec(String(token?.attrGet('style') ?? ''))?.[1]
      return side ? `<${token?.tag} class="align-${side}">` : `<${token?.tag}>`
    }
  }
  rules.heading_close = (tokens, index) => {
    const token = tokens[index]
    const id = String(token?.meta?.anchor ?? '')
    const anchor =
      id === '' ? '' : ` <a class="anchor" href="#${md.utils.escapeHtml(id)}" aria-label="Link to this section">#</a>`
    return `${anchor}</${token?.tag}>\n`
  }
}

function isRaw(token: Token): boolean {
  return token.type === 'html_block' || token.children?.some((child) => child.type === 'html_inline') === true
}

/**
 * Follows tags through a text: what stands within a script, a style and their like is removed from the page, and read by nobody.
 */
class Unread {
  #within: string | undefined

  get isWithin(): boolean {
    return this.#within !== undefined
  }

  /** Takes note of the tags of a piece of HTML. */
  pass(html: string): void {
    for (const [, close, name = ''] of html.matchAll(/<(\/?)(script|style|template|noscript|textarea|title|svg|math)\b/gi)) {
      const tag = name.toLowerCase()
      if (close && this.#within === tag) this.#within = undefined
      else if (!close) this.#within ??= tag
    }
  }
}

function plainText(token: Token | undefined, unread = new Unread()): string {
  const text = (token?.children ?? []).map((child) => {
    if (child.type === 'html_inline') unread.pass(child.content)
    if (unread.isWithin) return ''
    if (child.type === 'text' || child.type === 'code_inline' || child.type === 'text_special') return child.content
    return child.type === 'softbreak' || child.type === 'hardbreak' ? ' ' : ''
  })
  return text.join('').replace(/\s+/g, ' ').trim()
}

function withoutTitle(tokens: Token[], title: string): Token[] {
  if (tokens[0]?.type !== 'heading_open' || tokens[0].tag !== 'h1') return tokens
  return plainText(tokens[1]) === title.replace(/\s+/g, ' ').trim() ? tokens.slice(3) : tokens
}

/** The page has its h1 already: a body that uses them too goes one level down as a whole. */
function demote(tokens: Token[]): void {
  const headings = tokens.filter((token) => token.type === 'heading_open' || token.type === 'heading_close')
  if (!headings.some((token) => token.tag === 'h1')) return
  for (const token of headings) token.tag = `h${Math.min(6, Number(token.tag.slice(1)) + 1)}`
}

function nameHeadings(tokens: Token[]): void {
  const names = new FreeNames()
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue
    const base = plainText(tokens[index + 1])
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s+/g, '-')
    const id = names.take(base || 'section')
    token.attrSet('id', id)
    const close = tokens[index + 2]
    if (close) close.meta = { anchor: id }
  }
}

function resolveRaw(tokens: readonly Token[], fileAt: (href: string) => string | undefined): void {
  for (const token of tokens) {
    if (token.type === 'html_block' || token.type === 'html_inline') token.content = withFileAddresses(token.content, fileAt)
    if (token.children) resolveRaw(token.children, fileAt)
  }
}

function resolveLinks(tokens: Token[], resolve: (href: string) => string): void {
  for (const token of tokens) {
    for (const child of token.children ?? []) {
      const name = child.type === 'link_open' ? 'href' : child.type === 'image' ? 'src' : undefined
      if (name === undefined) continue
      child.attrSet(name, resolve(String(child.attrGet(name) ?? '')))
      if (name === 'src') child.attrSet('loading', 'lazy')
      if (child.children) resolveLinks([child], resolve)
    }
  }
}
