import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Liquid } from 'liquidjs'
import type { MessageName } from '#core/mail.ts'
import { readableEntries } from '#lib/files/readable.ts'
import type { Json } from '#lib/json.ts'
import { inSlices } from '#liquid/slices.ts'
import { boundTemplates, TEMPLATE_LIMITS, templateFault } from '#liquid/template-bounds.ts'

/** The content of a message, rendered from its templates. The subject may still have more than one line. */
export interface Rendered {
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** A callback for a template of the site that can't be used. */
export type OnBroken = (message: string) => void

const EXTENSION = '.liquid'
const MOST_BYTES = 1024 * 1024
const RENDER_LIMIT_MS = 2000

/** The templates of messages: for each `<name>.subject`, `.txt` and `.html`. */
export class MailTemplates {
  readonly #ours: string
  readonly #own: string | undefined
  readonly #onBroken: OnBroken

  /** Folders are absolute. What the site's `own` has of a name wins over `ours`. */
  constructor(ours: string, own?: string, onBroken: OnBroken = () => undefined) {
    this.#ours = ours
    this.#own = own
    this.#onBroken = onBroken
  }

  /**
   * Renders a message. If a template of the site fails, the whole message uses Quire's own text instead, since a message with
   * somebody's code is needed now.
   */
  async render(name: MessageName, values: Readonly<Record<string, Json>>): Promise<Rendered> {
    const ours = readTemplates(this.#ours)
    const own = this.#own === undefined ? {} : readTemplates(this.#own)
    if (Object.keys(own).length > 0) {
      try {
        return await rendered(name, { ...ours, ...own }, values, false)
      } catch (error) {
        this.#onBroken(
          `A template for mail can't be used (${wordsOf(error)}): the message "${name}" is written with Quire's own.`,
        )
      }
    }
    return rendered(name, ours, values, true)
  }
}

async function rendered(
  name: string,
  templates: Readonly<Record<string, string>>,
  values: Readonly<Record<string, Json>>,
  strict: boolean,
): Promise<Rendered> {
  const [text, html] = await Promise.all([engine(templates, strict, false), engine(templates, strict, true)])
  return {
    subject: await made(text, `${name}.subject.liquid`, values),
    text: await made(text, `${name}.txt.liquid`, values),
    html: await made(html, `${name}.html.liquid`, values),
  }
}

async function made(liquid: Liquid, file: string, values: object): Promise<string> {
  return String(await inSlices(liquid._renderFile(file, values, { sync: true })))
}

/** A template can name no file but another template. */
async function engine(templates: Readonly<Record<string, string>>, strict: boolean, escapes: boolean): Promise<Liquid> {
  const { Liquid } = await import('liquidjs')
  const made = new Liquid({
    templates,
    ...(escapes && { outputEscape: 'escape' as const }),
    ownPropertyOnly: true,
    strictFilters: true,
    strictVariables: strict,
    renderLimit: RENDER_LIMIT_MS,
    ...TEMPLATE_LIMITS,
  })
  boundTemplates(made)
  return made
}

/** Reads templates each time: messages are few, and a change is to be in the next one. Links are not followed. */
function readTemplates(folder: string): Record<string, string> {
  const files = readableEntries(folder).filter((entry) => entry.isFile() && entry.name.endsWith(EXTENSION))
  const texts = files.map(({ name }) => [name, readFileSync(join(folder, name), 'utf8')] as const)
  return Object.fromEntries(texts.filter(([, text]) => text.length <= MOST_BYTES))
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? templateFault(error.message) : String(error)
}
