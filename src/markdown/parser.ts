/// <reference path="./plugins.d.ts" />
import MarkdownIt, { type MarkdownIt as Parser } from 'markdown-it'
import deflist from 'markdown-it-deflist'
import mark from 'markdown-it-mark'
import { type Autolink, autolinks } from './autolinks.ts'
import { addAlerts } from './rules/alerts.ts'
import { addBoxes } from './rules/boxes.ts'
import { addContainers } from './rules/containers.ts'
import { addDeepest } from './rules/deepest.ts'
import { addFigures } from './rules/figures.ts'
import { addFootnotes } from './rules/footnotes.ts'
import { addHeadings } from './rules/headings.ts'
import { addMath } from './rules/math.ts'
import { addShortcodes } from './rules/shortcodes.ts'
import { addTasks } from './rules/tasks.ts'
import { addWikilinks } from './rules/wikilinks.ts'
import { WORDS, type Words } from './words.ts'

/** The syntax that a text may choose beside that which all texts have. */
export interface Syntax {
  /** True if quotes, dashes and ellipses are set as in print. */
  readonly typographer?: boolean
  /** True if `[[Page]]` is a link. */
  readonly wikilinks?: boolean
}

/** The options that all texts of a site have in common. */
export interface ParserOptions {
  readonly words?: Words
  /** The four quotes of the language, double ones first: `“”‘’`. */
  readonly quotes?: string | readonly string[]
  /** Ids that no heading may have, since something else of the page has them. */
  readonly reserved?: readonly string[]
}

/**
 * Makes a parser of Markdown: CommonMark with all that GitHub adds, and definition lists, containers, marks, formulas and
 * captions. Both what makes pages and what looks for links parse with it.
 */
export function newParser(syntax: Syntax = {}, { words = WORDS, quotes = '“”‘’' }: ParserOptions = {}): Parser {
  const md = new MarkdownIt({
    html: true,
    linkify: true,
    typographer: syntax.typographer === true,
    quotes: typeof quotes === 'string' ? quotes : [...quotes],
  })
  linkAddressesOnly(md)
  addFootnotes(md, words)
  addContainers(md)
  addShortcodes(md)
  addMath(md)
  addHeadings(md, words)
  addBoxes(md, words)
  addAlerts(md)
  addTasks(md, words)
  addFigures(md)
  if (syntax.wikilinks) addWikilinks(md)
  md.use(deflist)
  md.use(mark)
  addDeepest(md)
  return md
}

/** The links of a text in order; of two that meet, the whole address counts. */
function merged<Link extends Pick<Autolink, 'index' | 'lastIndex'>>(whole: readonly Link[], bare: readonly Link[]): Link[] {
  const links = [...whole]
  let next = 0
  for (const link of bare) {
    while ((whole[next]?.lastIndex ?? Number.POSITIVE_INFINITY) <= link.index) next++
    if ((whole[next]?.index ?? Number.POSITIVE_INFINITY) >= link.lastIndex) links.push(link)
  }
  return links.sort((a, b) => a.index - b.index)
}

/** Has only what is plainly an address become a link: README.md is a file, not a host in Moldova. */
function linkAddressesOnly(md: Parser): void {
  md.linkify.set({ fuzzyLink: false, fuzzyEmail: false })
  // Its patterns know every script's punctuation and are slow, and `test` is asked before `match`: one look for what an address
  // must have will do.
  const match = md.linkify.match.bind(md.linkify)
  md.linkify.test = (text) => /:\/\/|mailto:|www\.|@/i.test(text)
  md.linkify.match = (text) => {
    const whole = /:\/\/|mailto:/i.test(text) ? (match(text) ?? []) : []
    const bare = autolinks(text)
    return bare.length === 0 ? whole : merged(whole, bare)
  }
}
