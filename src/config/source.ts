import { isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument, visit, type YAMLError } from 'yaml'
import { Fault, placeOf, UNSAFE_KEYS } from '#frontmatter/fault.ts'
import { tooDeepAt } from '#frontmatter/nesting.ts'
import { refuseSlow } from '#frontmatter/yaml/bounds.ts'
import { BadConfig, type Mistake } from '#lib/errors.ts'

/** A place in the configuration: keys from the top, and places in lists from 0. */
export type KeyPath = readonly (string | number)[]

/** Line and column, both from 1. */
export interface Place {
  line: number
  column: number
}

/** The most bytes a configuration may have. */
const MAX_BYTES = 1024 * 1024

const HINTS: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'Indent with spaces.',
  DUPLICATE_KEY: 'Remove one of the two.',
  BAD_INDENT: 'Close the bracket, or mend the indentation.',
  MISSING_CHAR: 'Close the quote or bracket.',
  BLOCK_AS_IMPLICIT_KEY: 'Quote a value that has ": " in it.',
  MULTILINE_IMPLICIT_KEY: 'Quote a value that has ": " in it.',
  TAG_RESOLVE_FAILED: 'Remove the tag, or quote the value.',
  BAD_ALIAS: 'Quote a value that begins with *.',
}

/** `yaml` looks through all of the text for each alias. */
const MOST_ALIASES = 100

/** The text of a configuration, read, with the place of each key and value in it. */
export class Source {
  readonly file: string
  readonly value: unknown
  readonly #lines = new LineCounter()
  readonly #root: Node | null

  /**
   * Throws BadConfig where the bytes are no YAML that is taken: nesting over 64, keys twice, unknown tags, keys such as
   * `__proto__`.
   */
  constructor(file: string, bytes: Uint8Array) {
    this.file = file
    const text = this.#decode(bytes)
    this.#refuseSlow(text)
    const deep = tooDeepAt(text)
    if (deep >= 0)
      throw new BadConfig('It is nested more than 64 levels deep.', { file, ...placeOf(text, deep) }, 'Make it flatter.')
    const document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false, version: '1.2' })
    const [first, ...others] = [...document.errors, ...document.warnings].map((wrong) => this.#mistake(wrong))
    if (first) throw new BadConfig(first.message, first, first.hint, document.errors.every(isApart) ? others : [])
    this.#root = document.contents
    let aliases = 0
    visit(document, {
      Pair: (_, pair) => this.#checkKey(pair),
      Alias: (_, alias, around) => {
        const at = alias.range?.[0] ?? 0
        if (++aliases > MOST_ALIASES) throw this.#error(`There are over ${MOST_ALIASES} aliases.`, at)
        const holder = alias.resolve(document)
        if (holder && around.includes(holder))
          throw this.#error(
            `"*${alias.source}" stands within what it means, which would have no end.`,
            at,
            'Write out what is meant.',
          )
      },
    })
    try {
      this.value = document.toJS({ maxAliasCount: 100 }) ?? {}
    } catch (error) {
      throw this.#error(sentence((error as Error).message), 0)
    }
  }

  #refuseSlow(text: string): void {
    try {
      refuseSlow(text)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      throw new BadConfig(error.message, { file: this.file, ...placeOf(text, error.offset) }, error.hint)
    }
  }

  /** Returns the place of the value at `path`, or of its key. If there is none, returns that of its nearest parent. */
  place(path: KeyPath, part: 'key' | 'value' = 'value'): Place {
    let node: unknown = this.#root
    let offset = 0
    for (const [index, step] of path.entries()) {
      const pair: Pair | undefined = isMap(node) ? node.items.find((item) => nameOf(item) === String(step)) : undefined
      const next: unknown = isSeq(node) ? node.items[Number(step)] : pair?.value
      if (pair && (part === 'key' || !startOf(next)) && index === path.length - 1) return this.#at(startOf(pair.key) ?? offset)
      if (next === undefined || next === null) break
      node = next
      offset = startOf(pair && index < path.length - 1 ? pair.key : next) ?? offset
    }
    return this.#at(offset)
  }

  /** Returns the value in the file itself at `path`, without filling in variables. Undefined if the file has none. */
  get(path: KeyPath): unknown {
    let at: unknown = this.value
    for (const step of path) {
      if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined
      at = (at as Record<string | number, unknown>)[step]
    }
    return at
  }

  /** The file and the place, as BadConfig wants them. */
  at(path: KeyPath, part: 'key' | 'value' = 'value'): Place & { file: string } {
    return { file: this.file, ...this.place(path, part) }
  }

  #at(offset: number): Place {
    const { line, col } = this.#lines.linePos(offset)
    return { line: Math.max(1, line), column: Math.max(1, col) }
  }

  #mistake({ message, pos, code }: YAMLError): Mistake {
    return { message: sentence(message), hint: HINTS[code], file: this.file, ...this.#at(pos[0]) }
  }

  #error(message: string, offset: number, hint?: string): BadConfig {
    return new BadConfig(message, { file: this.file, ...this.#at(offset) }, hint)
  }

  #decode(bytes: Uint8Array): string {
    const { file } = this
    if (bytes.length > MAX_BYTES) throw new BadConfig('The configuration is over 1 MiB.', { file })
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    } catch {
      throw new BadConfig('The file is not UTF-8.', { file, line: 1, column: 1 }, 'Save it as UTF-8.')
    }
  }

  #checkKey(pair: Pair): void {
    if (!UNSAFE_KEYS.has(nameOf(pair))) return
    throw this.#error(`The key "${nameOf(pair)}" is not allowed.`, startOf(pair.key) ?? 0)
  }
}

/** True for a mistake of its own: what follows one of the others may only be its consequence. */
function isApart({ code }: YAMLError): boolean {
  return code === 'DUPLICATE_KEY' || code === 'TAG_RESOLVE_FAILED'
}

function nameOf(pair: Pair): string {
  return isScalar(pair.key) ? String(pair.key.value) : String(pair.key)
}

function startOf(node: unknown): number | undefined {
  const { range } = (node ?? {}) as { range?: [number, number, number] | null }
  return range?.[0]
}

function sentence(message: string): string {
  const text = message.split('\n')[0]?.trim() ?? ''
  return /[.!?]$/.test(text) ? text : `${text}.`
}
