import type { Env, MarkdownIt as Parser, Token } from 'markdown-it'
import { Highlighter } from '../highlight.ts'
import { WORDS, type Words } from '../words.ts'

const HIGHLIGHTER = Symbol('highlighter')

/** Begins a part that scrolls where a table is wider than the text, and is reached with the keyboard. */
export const SCROLLING = scrolling(WORDS.table)

function scrolling(label: string): string {
  return `<div class="scroll" tabindex="0" role="group" aria-label="${label}">`
}

/** Has code and tables scroll, alignments be classes, and diagrams wait for what draws them. */
export function addHtml(md: Parser, words: Words): void {
  const rules = md.renderer.rules
  const { escapeHtml } = md.utils
  // What scrolls is reached with the keyboard, and said to be what it is.
  const begin = scrolling(escapeHtml(words.table))
  rules.table_open = (_tokens, _index, _options, env) => (env?.isCleaned ? '<table>\n' : `${begin}\n<table>\n`)
  rules.table_close = (_tokens, _index, _options, env) => (env?.isCleaned ? '</table>\n' : '</table>\n</div>\n')
  const pre = (label: string, rest = '') => `<pre${rest} tabindex="0" role="group" aria-label="${escapeHtml(label)}">`
  // What a picture shows may be said elsewhere: one that says it is nothing (`alt=""`) is for nobody.
  rules.image = (tokens, index, options, env, self) => {
    const token = tokens[index] as Token
    const alt = self.renderInlineAsText(token.children ?? [], options, env)
    token.attrs = (token.attrs ?? []).flatMap(([name, value]) =>
      name !== 'alt' ? [[name, value]] : alt === '' ? [] : [[name, alt]],
    )
    return self.renderToken(tokens, index, options)
  }
  rules.code_block = (tokens, index) => `${pre(words.code)}<code>${escapeHtml(tokens[index]?.content ?? '')}</code></pre>\n`
  rules.fence = (tokens, index, _options, env) => {
    const { info = '', content = '' } = tokens[index] ?? {}
    const language = languageOf(md.utils.unescapeAll(info))
    if (language === 'mermaid') return `${pre(words.diagram, ' class="mermaid"')}${escapeHtml(content)}</pre>\n`
    const className = language === '' ? '' : ` class="language-${escapeHtml(language)}"`
    const colored = language === '' ? undefined : highlighterOf(env)?.html(content, language)
    return `${pre(words.code)}<code${className}>${colored ?? escapeHtml(content)}</code></pre>\n`
  }
  for (const cell of ['th_open', 'td_open']) {
    rules[cell] = (tokens, index) => {
      const token = tokens[index]
      // The site's content security policy allows no style attributes.
      const side = /text-align:(\w+)/.exec(String(token?.attrGet('style') ?? ''))?.[1]
      return side ? `<${token?.tag} class="align-${side}">` : `<${token?.tag}>`
    }
  }
}

/** Has code be coloured in what is rendered with this environment. */
export function colorWith(env: Env): void {
  env[HIGHLIGHTER] = new Highlighter()
}

function highlighterOf(env: Env | undefined): Highlighter | undefined {
  return env?.[HIGHLIGHTER] as Highlighter | undefined
}

/** The language of code by what stands behind its fence: `js`, `js {1,3}`, `js{1,3}` and `{.js}` are the same. */
export function languageOf(info: string): string {
  return /^\s*(?:\{\s*\.)?([^\s{},:]+)/.exec(info.slice(0, 200))?.[1] ?? ''
}
