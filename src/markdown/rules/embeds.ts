import { randomBytes } from 'node:crypto'
import type { Token } from 'markdown-it'
import { WIKILINK } from './wikilinks.ts'

/**
 * A text that another takes in: `![[Page#Heading|label]]`, alone in its paragraph. The link that it is where it can't be taken in
 * stands between the marks `begin` and `end` in the HTML.
 */
export interface Embed {
  readonly begin: string
  readonly end: string
  readonly name: string
  /** The id that the heading would have; '' for the whole text. */
  readonly part: string
  readonly label: string | undefined
}

/** Nobody can write it: it is chosen when the program starts, and on no page. */
const NONCE = `x${randomBytes(16).toString('hex')}`
const MARK = 'embed_mark'

/** Renders the marks of texts that are taken in. */
export function markRule(tokens: readonly Token[], index: number): string {
  return tokens[index]?.content ?? ''
}

/** The name of the rule that renders marks. */
export const MARK_RULE = MARK

/** Returns whether a paragraph has nothing but texts to take in. */
export function isEmbeds(paragraph: Token | undefined): boolean {
  return paragraph?.type === 'inline' && embedsOf(paragraph) !== undefined
}

/** Returns tokens in which each text that is taken in has a paragraph of its own, between marks; and what these texts are. */
export function withEmbeds(tokens: readonly Token[]): { tokens: Token[]; embeds: Embed[] } {
  const made: Token[] = []
  const embeds: Embed[] = []
  for (let index = 0; index < tokens.length; index++) {
    const [open, text, close] = tokens.slice(index, index + 3)
    const found = open?.type === 'paragraph_open' && text ? embedsOf(text) : undefined
    if (!open || !text || !close || !found) {
      if (open) made.push(open)
      continue
    }
    for (const children of found) {
      const embed = embedOf(children, embeds.length)
      const Make = open.constructor as typeof Token
      const mark = (content: string) => Object.assign(new Make(MARK, '', 0), { content, level: open.level })
      const own = Object.assign(new Make('inline', '', 0), { ...text, children })
      if (embed) made.push(mark(embed.begin), open, own, close, mark(`${embed.end}\n`))
      else made.push(open, own, close)
      if (embed) embeds.push(embed)
    }
    index += 2
  }
  return { tokens: made, embeds }
}

/** The links of a paragraph that has nothing but texts to take in, each with its tokens; undefined for any other. */
function embedsOf({ children }: Token): Token[][] | undefined {
  if (!children?.[0]?.meta?.isEmbed) return undefined
  const found: Token[][] = []
  let isOpen = false
  for (const child of children) {
    if (child.meta?.isEmbed) found.push([])
    if (child.meta?.isEmbed) isOpen = true
    if (isOpen) found.at(-1)?.push(child)
    else if (child.type !== 'softbreak' && child.type !== 'hardbreak' && !(child.type === 'text' && child.content.trim() === ''))
      return undefined
    if (child.markup === WIKILINK && child.nesting < 0) isOpen = false
  }
  return found
}

/** The text that a link stands for; undefined where it leads nowhere. */
function embedOf([link]: readonly Token[], number: number): Embed | undefined {
  if (link?.type !== 'link_open') return undefined
  const { name, part, label } = link.meta ?? {}
  const mark = `${NONCE}m${number}`
  const own = label === undefined ? undefined : String(label)
  return { begin: `${mark}b;`, end: `${mark}e;`, name: String(name), part: decoded(String(part).slice(1)), label: own }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
