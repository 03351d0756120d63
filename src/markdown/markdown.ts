import type { Env, MarkdownIt as Parser, Token } from 'markdown-it'
import { ID_OR_NAME, idsOf } from './ids.ts'
import { withoutModuleLines } from './modules.ts'
import { newParser, type ParserOptions, type Syntax } from './parser.ts'
import { type Embed, isEmbeds, MARK_RULE, markRule, withEmbeds } from './rules/embeds.ts'
import { demote, type Heading, nameHeadings } from './rules/headings.ts'
import { addHtml, colorWith } from './rules/html.ts'
import { partOf } from './rules/parts.ts'
import { upToOpenShortcode, useShortcodes } from './rules/shortcodes.ts'
import { resolveWikilinks } from './rules/wikilinks.ts'
import type { Shortcodes } from './shortcodes.ts'
import { cut, plainText, Unread } from './text.ts'
import { WORDS } from './words.ts'

/** The options for making a text into HTML, and what the caller knows that this library does not. */
export interface RenderOptions {
  /** The page's title: a first heading that says the same is left out. */
  readonly title: string
  readonly syntax?: Syntax
  /** The id of the heading whose part of the text is wanted; the whole text without it. */
  readonly part?: string | undefined
  /** The shortcodes that the text may use. What they make is not cleaned. */
  readonly shortcodes?: Shortcodes | undefined
  /** Returns the href that a link has in the page. */
  resolve(href: string): string
  /** Returns the address on the site of the page that a link in double brackets names; undefined where it names none. */
  pageNamed?(name: string): string | undefined
  /** Returns HTML without what must not stand in a page, its links resolved. Absent where raw HTML stays as it is. */
  clean?(html: string): string
  /** Returns a piece of raw HTML that is not cleaned as it has to be in the page. */
  raw?(html: string): string
}

/** A text as HTML, with its headings; '' where it has no such part. */
export interface Rendered {
  readonly html: string
  readonly headings: readonly Heading[]
  /** The texts that it takes in, which marks in the HTML stand for; absent where there are none. */
  readonly embeds?: readonly Embed[]
}

const EXCERPT_LENGTH = 220
/** At most so many characters are read for an excerpt. */
const EXCERPT_FROM = 1500

/** Markdown to HTML: headings with ids, wide tables that scroll, lazy pictures, no dead or scripted link. */
export class Markdown {
  readonly options: ParserOptions
  readonly #plugins: readonly ((parser: Parser) => void)[]
  readonly #parsers = new Map<string, Parser>()

  /**
   * `plugins` add rules to a parser. What these make is cleaned as raw HTML is; where one throws, `render` does, and no more is known of
   * the text.
   */
  constructor(options: ParserOptions = {}, plugins: readonly ((parser: Parser) => void)[] = []) {
    this.options = options
    this.#plugins = plugins
  }

  /** The HTML of a text. What holds raw HTML is given to `clean`, where there is one. */
  render(text: string, options: RenderOptions): Rendered {
    const md = this.#parser(options.syntax)
    const env: Env = {}
    const marks = options.shortcodes && useShortcodes(env, options.shortcodes)
    const { part, pageNamed } = options
    const parsed = withoutTitle(md.parse(withoutModuleLines(text), env), part === undefined ? options.title : undefined)
    demote(parsed)
    const headings = this.#headings(parsed)
    const wanted = part === undefined ? parsed : partOf(parsed, part)
    if (options.syntax?.wikilinks) resolveWikilinks(wanted, (name) => pageNamed?.(name))
    const { tokens, embeds } = options.syntax?.wikilinks ? withEmbeds(wanted) : { tokens: wanted, embeds: [] }
    const isDirty = options.clean !== undefined && (this.#plugins.length > 0 || tokens.some(isRaw))
    if (!isDirty) resolveLinks(tokens, options.resolve)
    if (!options.clean && options.raw) resolveRaw(tokens, options.raw)
    env.isCleaned = isDirty
    colorWith(env)
    const html = md.renderer.render(tokens, md.options, env)
    const cleaned = isDirty && options.clean ? options.clean(html) : html
    const filled = marks && options.shortcodes ? marks.filled(cleaned, options.shortcodes) : cleaned
    return { html: filled, headings, ...(embeds.length > 0 && { embeds }) }
  }

  /** The ids of the parts of a text, as its page has them. */
  ids(text: string, title: string, syntax?: Syntax): ReadonlySet<string> {
    return this.#unless(() => this.#ids(text, title, syntax), new Set())
  }

  #ids(text: string, title: string, syntax: Syntax | undefined): ReadonlySet<string> {
    const tokens = withoutTitle(this.#parser(syntax).parse(withoutModuleLines(text), {}), title)
    const headings = this.#headings(tokens)
    return new Set([...idsOf(tokens, ID_OR_NAME), ...headings.map(({ id }) => id)])
  }

  /** The first paragraph as plain text, cut at a word; '' where there is none. */
  excerpt(text: string, syntax?: Syntax): string {
    return this.#unless(() => this.#excerpt(text, syntax), '')
  }

  #excerpt(text: string, syntax: Syntax | undefined): string {
    const begin = upToOpenShortcode(withoutModuleLines(text.slice(0, 4 * EXCERPT_FROM)).slice(0, EXCERPT_FROM), text)
    const env: Env = {}
    // What a shortcode makes is no text, and what it is around may be left out.
    useShortcodes(env, { has: () => true, html: () => ({ before: '' }) })
    const tokens = this.#parser(syntax).parse(begin, env)
    const unread = new Unread()
    for (const [index, token] of tokens.entries()) {
      if (token.type === 'html_block') unread.pass(token.content)
      if (token.type !== 'inline') continue
      const text = plainText(token, unread)
      const isParagraph = tokens[index - 1]?.type === 'paragraph_open' && token.level === 1 && !isEmbeds(token)
      if (isParagraph && text !== '') return cut(text, EXCERPT_LENGTH)
    }
    return ''
  }

  #unless<T>(work: () => T, other: T): T {
    try {
      return work()
    } catch (error) {
      if (this.#plugins.length > 0) return other
      throw error
    }
  }

  #headings(tokens: readonly Token[]): Heading[] {
    return nameHeadings(tokens, [...(this.options.reserved ?? []), ...idsOf(tokens)])
  }

  #parser(syntax: Syntax = {}): Parser {
    const name = JSON.stringify([syntax.typographer === true, syntax.wikilinks === true])
    const known = this.#parsers.get(name)
    if (known) return known
    const md = newParser(syntax, this.options)
    addHtml(md, this.options.words ?? WORDS)
    md.renderer.rules[MARK_RULE] = markRule
    for (const add of this.#plugins) add(md)
    this.#parsers.set(name, md)
    return md
  }
}

function isRaw(token: Token): boolean {
  return token.type === 'html_block' || token.children?.some((child) => child.type === 'html_inline') === true
}

function withoutTitle(tokens: Token[], title: string | undefined): Token[] {
  if (title === undefined || tokens[0]?.type !== 'heading_open' || tokens[0].tag !== 'h1') return tokens
  return plainText(tokens[1]) === title.replace(/\s+/g, ' ').trim() ? tokens.slice(3) : tokens
}

function resolveRaw(tokens: readonly Token[], raw: (html: string) => string): void {
  for (const token of tokens) {
    if (token.type === 'html_block' || token.type === 'html_inline') token.content = raw(token.content)
    if (token.children) resolveRaw(token.children, raw)
  }
}

function resolveLinks(tokens: readonly Token[], resolve: (href: string) => string): void {
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
