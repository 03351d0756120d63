import type { MarkdownIt as Parser, Token } from 'markdown-it'
import { FreeNames } from '#lib/text/free-names.ts'
import { plainText } from '../text.ts'
import type { Words } from '../words.ts'

/** A heading of a text, for a table of contents: its level on the page, its id there, and its text without marks. */
export interface Heading {
  readonly level: number
  readonly id: string
  readonly text: string
}

/** Characters that GitHub leaves out of ids. */
const LEFT_OUT = /[^\p{Alphabetic}\p{M}\p{Nd}\p{Nl}\p{Pc}\- ]/gu
const GIVEN = /^\{(?:#([^\s{}]{1,200})(?:[ \t][^{}]*)?|\/\*[ \t]*([^\s{}*]{1,200})[ \t]*\*\/)\}$/
const LONGEST = 1000

/** Adds ids that a heading gives itself: `# Title {#id}`, and as MDX writes them, `# Title {/*id*\/}`. */
export function addHeadings(md: Parser, words: Words): void {
  md.core.ruler.after('block', 'heading_ids', ({ tokens }) => {
    for (const [index, token] of tokens.entries()) {
      const text = token.type === 'heading_open' ? tokens[index + 1] : undefined
      const given = text?.content.endsWith('}') ? givenId(text.content) : undefined
      if (!text || !given) continue
      text.content = given.rest
      token.meta = { given: given.id }
    }
  })
  const label = md.utils.escapeHtml(words.section)
  md.renderer.rules.heading_close = (tokens, index) => {
    const token = tokens[index]
    const id = String(token?.meta?.anchor ?? '')
    const anchor = id === '' ? '' : ` <a class="anchor" href="#${md.utils.escapeHtml(id)}" aria-label="${label}">#</a>`
    return `${anchor}</${token?.tag}>\n`
  }
}

/** Returns the id that stands at the end of a heading's text, and what stands before it. */
export function givenId(text: string): { id: string; rest: string } | undefined {
  const from = text.lastIndexOf('{')
  if (from < 0 || text.length - from > LONGEST || text[from - 1] === '\\') return undefined
  const [, plain, comment] = GIVEN.exec(text.slice(from)) ?? []
  const id = plain ?? comment
  return id === undefined ? undefined : { id, rest: text.slice(0, from).trimEnd() }
}

/**
 * Gives each heading its id: its own, or one as GitHub makes it of its text, of which a second is `…-1`. Returns the headings in
 * their order.
 */
export function nameHeadings(tokens: readonly Token[], taken: Iterable<string> = []): Heading[] {
  const names = new FreeNames('-', 1)
  for (const name of taken) names.take(name)
  const given = new Map<Token, string>()
  // An id that is asked for comes before one that is made.
  for (const token of tokens) {
    if (token.type === 'heading_open' && token.meta?.given) given.set(token, names.take(String(token.meta.given)))
  }
  const headings: Heading[] = []
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue
    const text = plainText(tokens[index + 1])
    const id = given.get(token) ?? names.take(idOf(text) || 'section')
    token.attrSet('id', id)
    const close = tokens[index + 2]
    if (close) close.meta = { anchor: id }
    headings.push({ level: Number(token.tag.slice(1)), id, text })
  }
  return headings
}

/** The id that GitHub makes of a heading's text. */
export function idOf(text: string): string {
  return text.toLowerCase().replace(LEFT_OUT, '').replaceAll(' ', '-')
}

/** The page has its h1 already: a text that uses them too goes one level down as a whole. */
export function demote(tokens: readonly Token[]): void {
  const headings = tokens.filter((token) => token.type === 'heading_open' || token.type === 'heading_close')
  if (!headings.some((token) => token.tag === 'h1')) return
  for (const token of headings) token.tag = `h${Math.min(6, Number(token.tag.slice(1)) + 1)}`
}
