import { Liquid, LiquidError } from 'liquidjs'
import { TemplateError } from '#liquid/template-error.ts'
import { type TemplateOptions, Templates } from '#liquid/templates.ts'

/** The texts of templates by their names; `main` is rendered. */
export type Texts = Readonly<Record<string, string>> & { readonly main: string }

/** The outcome of a rendering: a text, or an error with its place. */
export interface Outcome {
  readonly text?: string
  readonly error?: { readonly message: string; readonly place: readonly unknown[] }
}

/** The outcomes of LiquidJS and of ours; `isFast` where closures made the text. */
export interface Outcomes {
  readonly theirs: Outcome
  readonly ours: Outcome
  readonly isFast: boolean
}

/** Options as the theme of a site has them. */
export const ESCAPING = { outputEscape: 'escape' } as const

const GLOBALS = { base: '/base', shadowed: 'global' }

/** Renders `main` by LiquidJS itself and by ours, each with data of its own. */
export function sideBySide(texts: Texts, dataOf: () => object, options: TemplateOptions = {}): Promise<Outcomes> {
  return bothOf(texts, options)('main', dataOf)
}

/** Renders templates, by their names, by LiquidJS itself and by ours. */
export function bothOf(
  texts: Readonly<Record<string, string>>,
  options: TemplateOptions = {},
  filters: Readonly<Record<string, () => unknown>> = {},
): (name: string, dataOf: () => object) => Promise<Outcomes> {
  const liquid = new Liquid({ ...options, templates: { ...texts }, strictFilters: true, cache: true })
  const templates = new Templates(texts, { atOnceMs: Number.POSITIVE_INFINITY, ...options })
  for (const [name, filter] of Object.entries(filters)) {
    liquid.registerFilter(name, filter)
    templates.addFilter(name, filter)
  }
  return async (name, dataOf) => {
    const theirs = theirsOf(liquid, name, dataOf())
    const data = dataOf()
    const text = templates.atOnce(name, data, GLOBALS)
    if (text !== undefined) return { theirs, ours: { text }, isFast: true }
    return { theirs, ours: await oursOf(templates, name, data), isFast: false }
  }
}

function theirsOf(liquid: Liquid, name: string, data: object): Outcome {
  try {
    return { text: String(liquid.renderFileSync(name, data, { globals: GLOBALS })) }
  } catch (error) {
    if (!LiquidError.is(error)) return { error: { message: String(error), place: [name] } }
    const { token, message } = error as LiquidError & { token: { file?: string; getPosition(): number[] } }
    const words = (message.split(', file:', 1)[0] ?? '').replace(/^ENOENT: .*?("[^"]*").*$/, 'there is no template $1')
    return { error: { message: words, place: [token.file ?? name, ...token.getPosition()] } }
  }
}

async function oursOf(templates: Templates, name: string, data: object): Promise<Outcome> {
  try {
    return { text: await templates.render(name, data, GLOBALS) }
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    const { file, line, column } = error.place
    return { error: { message: error.message, place: [file, line, column].filter((part) => part !== undefined) } }
  }
}

/** Names that LiquidJS asks each value for, to see what kind of value it is. */
const ASKED_OF_ALL: ReadonlySet<PropertyKey> = new Set([
  'next',
  'throw',
  'return',
  'then',
  'toLiquid',
  'equals',
  Symbol.toStringTag,
])

/** A list that is no plain array: it notes what is read of it. */
class NotingList extends Array<unknown> {
  static override get [Symbol.species](): ArrayConstructor {
    return Array
  }

  static noting(items: readonly unknown[], read: PropertyKey[]): unknown[] {
    const list = new NotingList()
    list.push(...items)
    return new Proxy(list, {
      get(target, name, receiver) {
        if (!ASKED_OF_ALL.has(name)) read.push(name)
        return Reflect.get(target, name, receiver) as unknown
      },
    })
  }
}

class Post {
  #title: string
  kind = 'post'

  constructor(title: string) {
    this.#title = title
    Object.defineProperty(this, 'lazy', { get: () => this.#title.toUpperCase(), enumerable: true, configurable: true })
  }

  get title(): string {
    return this.#title
  }
}

/**
 * Data with what templates may meet: plain values, own getters, classes, lists of other classes, names of prototypes. What is read
 * of its list `noting` is put down.
 */
export function data(read: PropertyKey[] = []): object {
  const list = [
    { name: 'b', n: 2, tags: ['x', 'y'], on: true },
    { name: 'a & <b>', n: 10, tags: [], on: false },
    { name: null, n: -1, tags: ['z'], first: 'own' },
  ]
  return {
    text: 'Tom & "Jerry" <b>it’s</b>',
    empty_text: '',
    blank_text: ' \n',
    long: 'The quick brown fox jumps over the lazy dog',
    zero: 0,
    one: 1,
    big: 123456789.25,
    yes: true,
    no: false,
    nothing: null,
    missing: undefined,
    date: '2026-03-01T10:20:30Z',
    words: ['one', 'two', 'three', 'two'],
    numbers: [3, 1, 2, 10],
    none: [],
    mixed: [1, 'a', null, true, [1, [2]], { a: 1 }],
    list,
    noting: NotingList.noting(list, read),
    nested: [
      [1, 2],
      [3, 4],
    ],
    object: { a: 1, b: 'two', c: { d: [1, 2, { e: 'deep' }] } },
    sized: { size: 7, first: 'f', last: 'l' },
    bare: Object.assign(Object.create(null) as object, { x: 1 }),
    record: new Post('Lazy & hidden'),
    set: new Set(['p', 'q']),
    map: new Map([['k', 'v']]),
    shadowed: 'data',
    key: 'b',
    index: 1,
    file: 'part',
    get lazy() {
      return ['made', 'late']
    },
  }
}
