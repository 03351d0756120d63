import { isDeepStrictEqual } from 'node:util'
import { type AnsweringPlace, asking, type LinkPlace, type Question, resolving } from '#core/links/resolve.ts'
import { answerQuestions } from '#lib/concurrency/worker-answers.ts'
import { Markdown, type Rendered } from '#markdown/markdown.ts'
import type { ParserOptions, Syntax } from '#markdown/parser.ts'
import type { ShortcodeCall } from '#markdown/shortcodes.ts'
import { bodyHtml, shortcodesOf } from './body-html.ts'
import type { MadeShortcodes } from './shortcodes.ts'

/** A body to be made into HTML. `answers` are those to questions to the site that are known already. */
export interface BodyQuestion {
  readonly body: string
  readonly title: string
  readonly part: string | undefined
  readonly trusted: boolean
  readonly syntax: Syntax
  /** Those of the parser. */
  readonly options: ParserOptions
  /** The addresses of the modules that add rules to the parser. */
  readonly plugins: readonly string[]
  /** The names of shortcodes, and the HTML of uses of them that is known already. */
  readonly names: ReadonlySet<string>
  readonly uses: MadeShortcodes
  readonly place: Omit<LinkPlace, keyof AnsweringPlace>
  readonly answers: ReadonlyMap<Question, string | undefined>
}

/** HTML with its headings; or the questions and uses of shortcodes that it takes; or undefined where it would be too much. */
export type BodyAnswer =
  | { readonly made: Rendered | undefined }
  | { readonly unknown: readonly Question[]; readonly calls: readonly ShortcodeCall[] }

/** The most characters of HTML that one body may be made into. */
const MOST_HTML = 8 * 1024 * 1024

let markdown = new Markdown()
let loaded: readonly string[] = []

answerQuestions(answer)

async function answer(question: BodyQuestion): Promise<BodyAnswer> {
  const { body, title, part, trusted, syntax, options, plugins, names, uses, place, answers } = question
  if (!isDeepStrictEqual([markdown.options, loaded], [options, plugins])) {
    markdown = new Markdown(options, await Promise.all(plugins.map(pluginAt)))
    loaded = plugins
  }
  const unknown = new Set<Question>()
  const known = asking((question) => {
    if (!answers.has(question)) unknown.add(question)
    return answers.get(question)
  })
  const missing = new Map<string, ShortcodeCall>()
  const shortcodes = shortcodesOf(names, uses, missing)
  const made = bodyHtml(markdown, body, { title, part, trusted, syntax, shortcodes, ...resolving({ ...place, ...known }) })
  if (unknown.size + missing.size > 0) return { unknown: [...unknown], calls: [...missing.values()] }
  return { made: made.html.length > MOST_HTML ? undefined : made }
}

/** The rules that a module adds: as in the server, a module that throws here adds none. */
async function pluginAt(address: string): Promise<(parser: unknown) => void> {
  const { default: definition } = (await import(address)) as { readonly default: { markdown?(parser: unknown): void } }
  return (parser) => {
    try {
      definition.markdown?.(parser)
    } catch {
      // The log of the server says so.
    }
  }
}
