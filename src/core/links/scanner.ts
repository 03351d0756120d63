import type { Env, MarkdownIt as Parser, Token } from 'markdown-it'
import { trimEnd } from '#lib/text/trim-end.ts'
import { newParser } from '#markdown/parser.ts'
import { WIKILINK } from '#markdown/rules/wikilinks.ts'
import type { Destination } from './destination.ts'
import { htmlAddresses } from './html-addresses.ts'
import { LineMap } from './line-map.ts'

/** Most characters of a name in double brackets, and more. */
const MOST_OF_NAME = 1000

/** A part of the content of a block. */
interface Found {
  readonly start: number
  readonly end: number
  readonly form: Destination['form']
  readonly isPicture: boolean
}

/** A token of a link, and what its rule had read when it made it. */
interface Seen {
  readonly token: Token
  readonly pos: number
  readonly read: { start: number; end: number } | undefined
}

/**
 * Finds the addresses that links lead to in Markdown, by the same parser that makes its page: what is code, a comment
 * or plain text there has none. One text at a time.
 */
export class LinkScanner {
  readonly #md: Parser
  #read: Seen['read']
  #seen: Seen[] = []
  #content = ''
  #definitions: Found[] = []

  /** With `wikilinks` names in double brackets are destinations, too. */
  constructor(wikilinks = false) {
    this.#md = newParser({ wikilinks })
    this.#md.core.ruler.enableOnly(['normalize', 'block'])
    this.#watch()
  }

  /** The destinations in `text`, whose line ends are LF, in order. Those whose place is not certain are left out. */
  scan(text: string): Destination[] {
    this.#definitions = []
    const env: Env = {}
    const tokens = this.#md.parse(text, env)
    const lines = new LineMap(text)
    const found: Destination[] = this.#definitions.map((one) => ({ ...one, text: text.slice(one.start, one.end) }))
    let row: [number, number] | null = null
    for (const token of tokens) {
      if (token.type === 'tr_open') row = token.map
      const parts =
        token.type === 'inline' ? this.#inline(token, env) : token.type === 'html_block' ? htmlParts(token.content) : []
      const map = token.map ?? row
      if (token.type === 'inline' || parts.length > 0) lines.place(token.content, map, parts, found)
      // What a browser takes for a comment goes on to its end, whatever Markdown makes of it.
      if (token.type === 'html_block' && htmlAddresses(token.content).inComment) break
    }
    return found.sort((a, b) => a.start - b.start)
  }

  #inline(token: Token, env: Env): Found[] {
    if (!/[[<:]/.test(token.content)) return []
    this.#seen = []
    this.#content = token.content
    this.#md.inline.parse(token.content, this.#md, env, [])
    return this.#seen.flatMap((seen) => this.#part(seen))
  }

  #part({ token, pos, read }: Seen): Found[] {
    if (token.type === 'html_inline') return htmlParts(token.content).map((one) => moved(one, pos))
    const isPicture = token.type === 'image'
    if (token.markup === 'autolink') return [{ start: pos + 1, end: this.#content.indexOf('>', pos), form: 'auto', isPicture }]
    if (token.markup === 'linkify') return this.#linkified(pos)
    if (token.markup === WIKILINK) return this.#named(pos, isPicture)
    // A link by reference has its destination where that is defined.
    if (token.meta?.label || !read) return []
    return [{ ...unwrapped(this.#content, read), isPicture }]
  }

  #named(pos: number, isPicture: boolean): Found[] {
    const begin = this.#content.indexOf('[[', pos) + 2
    const part = this.#content.slice(begin, begin + MOST_OF_NAME).split(/[|#\]]/, 1)[0] ?? ''
    const start = begin + part.length - part.trimStart().length
    return part.trim() === '' ? [] : [{ start, end: start + part.trim().length, form: 'wiki', isPicture }]
  }

  #linkified(colon: number): Found[] {
    let start = colon
    while (start > 0 && colon - start < 10 && /[a-z0-9+.-]/i.test(this.#content.charAt(start - 1))) start--
    const link = this.#md.linkify.matchAtStart(this.#content.slice(start))
    return link ? [{ start, end: start + trimEnd(link.url, '*').length, form: 'auto', isPicture: false }] : []
  }

  /** Has the parser tell where it reads the destinations of the links that it makes. */
  #watch(): void {
    const { helpers } = this.#md
    const parse = helpers.parseLinkDestination
    helpers.parseLinkDestination = (text, start, max) => {
      const result = parse(text, start, max)
      this.#read = result.ok ? { start, end: result.pos } : undefined
      return result
    }
    const scanner = this
    this.#md.inline.State = class extends this.#md.inline.State {
      override push(type: string, tag: string, nesting: -1 | 0 | 1): Token {
        const token = super.push(type, tag, nesting)
        // The label of a picture is parsed apart, and leads nowhere.
        if (this.src === scanner.#content && (type === 'link_open' || type === 'image' || type === 'html_inline')) {
          scanner.#seen.push({ token, pos: this.pos, read: scanner.#read })
          scanner.#read = undefined
        }
        return token
      }
    }
    this.#md.block.State = class extends this.#md.block.State {
      override push(type: string, tag: string, nesting: -1 | 0 | 1): Token {
        const read = scanner.#read
        if (type === 'reference_definition' && read) {
          scanner.#definitions.push({ ...unwrapped(this.src, read), isPicture: false })
        }
        return super.push(type, tag, nesting)
      }
    }
  }
}

function unwrapped(text: string, { start, end }: { start: number; end: number }): Pick<Found, 'start' | 'end' | 'form'> {
  return text[start] === '<' ? { start: start + 1, end: end - 1, form: 'angle' } : { start, end, form: 'bare' }
}

function htmlParts(html: string): Found[] {
  return htmlAddresses(html).found.map(({ start, end }) => ({ start, end, form: 'html', isPicture: false }))
}

function moved(one: Found, by: number): Found {
  return { ...one, start: one.start + by, end: one.end + by }
}
