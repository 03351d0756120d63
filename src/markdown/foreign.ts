import type { Env, Token } from 'markdown-it'
import { moduleLines } from './modules.ts'
import { newParser } from './parser.ts'
import { useShortcodes } from './rules/shortcodes.ts'

/** The kinds of syntax of other tools that stand in a page as text, or are left out of it. */
export type ForeignKind =
  | 'hugo'
  | 'liquid'
  | 'braces'
  | 'components'
  | 'modules'
  | 'attributes'
  | 'wikilinks'
  | 'containers'
  | 'admonitions'
  | 'erb'
  | 'wordpress'

/** Syntax of one kind in a text: how often, the line where it is first (from 0), and the names that it has there. */
export interface Foreign {
  count: number
  readonly line: number
  readonly names: Set<string>
}

const MAY_HAVE_SOME = /\{[{%:.#]|<[A-Z%]|\[\[|:::|^[ \t]*(?:import|export)\s|^(?:!!!|\?\?\?)|\[\/?(?:caption|gallery)\b/m
const MODULE = /^(?:import\s.{0,500}\sfrom\s+['"]|import\s+['"]|export\s+(?:const|let|default|function|async)\s)/gm

/** Matches syntax by kind; the first group is a name, where there is one. */
const PATTERNS: readonly (readonly [ForeignKind, RegExp])[] = [
  ['hugo', /\{\{[<%]\s*(?!\/|comment\b)([\w./-]{1,60})/g],
  ['liquid', /(?<!\{)\{%-?\s*(?!comment\b|endcomment\b|#|end)(\w{1,60})/g],
  ['braces', /\{\{(?![<%!~]|-?-|\s?\/\*)[^{}]{1,200}\}\}/g],
  ['modules', MODULE],
  ['attributes', /\{(?::[^{}\n:]{1,200}|[.#][\w-][^{}\n]{0,200})\}/g],
  ['wikilinks', /!?\[\[[^[\]\n]{1,200}\]\]/g],
  ['admonitions', /^(?:!!!|\?\?\?\+?)[ \t]+(\w{1,60})/gm],
  ['erb', /<%[=-]?\s/g],
  ['wordpress', /\[(caption|gallery)\b[^[\]\n]{0,300}\]/g],
  ['components', /<([A-Z][\w.]{0,60})(?=[\s/>])/g],
]

const HIDING = /<(\/?)(script|style|template|pre|code|textarea)\b|<!--|-->/gi
const MOST_NAMES = 5

/** Finds the syntax of other tools in texts. Code, and what is in a comment, is none. */
export class ForeignSyntax {
  readonly #md = newParser()

  /** Returns what there is in a text, by kind. `shortcodes` are those that are none of another tool. */
  find(text: string, shortcodes: ReadonlySet<string> = new Set()): Map<ForeignKind, Foreign> {
    const found = new Map<ForeignKind, Foreign>()
    if (!MAY_HAVE_SOME.test(text)) return found
    const { lines, rest } = moduleLines(text)
    for (let n = 0; n < lines; n++) add(found, 'modules', 0)
    const skipped = text.split('\n').length - rest.split('\n').length
    const hidden = new Hidden()
    const env: Env = {}
    useShortcodes(env, { has: (name) => shortcodes.has(name), html: () => undefined })
    for (const token of this.#md.parse(rest, env)) {
      const line = (token.map?.[0] ?? 0) + skipped
      if (token.type === 'container_open') add(found, 'containers', line, String(token.meta?.name ?? ''))
      const shown =
        token.type === 'inline' ? shownText(token, hidden) : token.type === 'html_block' ? hidden.without(token.content) : ''
      for (const [kind, pattern] of shown === '' ? [] : PATTERNS)
        for (const match of shown.matchAll(pattern))
          add(found, kind, found.has(kind) ? 0 : line + linesIn(shown, match.index), match[1])
    }
    return found
  }
}

function add(found: Map<ForeignKind, Foreign>, kind: ForeignKind, line: number, name = ''): void {
  const foreign = found.get(kind) ?? { count: 0, line, names: new Set<string>() }
  foreign.count++
  if (name !== '' && foreign.names.size < MOST_NAMES) foreign.names.add(name)
  found.set(kind, foreign)
}

function linesIn(text: string, end: number): number {
  return end === 0 ? 0 : text.slice(0, end).split('\n').length - 1
}

/** The text of an inline token with its tags, and with a space for code. */
function shownText({ children }: Token, hidden: Hidden): string {
  const parts = (children ?? []).map((child) => {
    if (child.type === 'html_inline') return hidden.without(child.content)
    if (hidden.isOpen) return ''
    if (child.type === 'softbreak' || child.type === 'hardbreak') return '\n'
    return child.type === 'text' ? child.content : ' '
  })
  return parts.join('')
}

/** Follows what hides HTML: comments, scripts, and elements for code. */
class Hidden {
  #within: string | undefined

  get isOpen(): boolean {
    return this.#within !== undefined
  }

  /** A piece of HTML without what is hidden in it. */
  without(html: string): string {
    let [shown, from] = ['', 0]
    for (const match of html.matchAll(HIDING)) {
      const [mark, close = '', tag = ''] = match
      if (this.#within === undefined && mark !== '-->' && close === '') {
        shown += html.slice(from, match.index)
        this.#within = tag === '' ? '-->' : tag.toLowerCase()
      } else if (
        this.#within !== undefined &&
        (tag === '' ? mark === this.#within : close !== '' && tag.toLowerCase() === this.#within)
      ) {
        this.#within = undefined
        from = match.index + mark.length
      }
    }
    return this.#within === undefined ? shown + html.slice(from) : shown
  }
}
