import { isScalar, LineCounter, parseDocument, visit } from 'yaml'
import { PackageFault } from './fault.ts'

/** The most brackets a text may have, and the most spaces and dashes before what a line says: `yaml` goes down a level for each. */
const MOST_BRACKETS = 2_000
const MOST_INDENT = 32
const MOST_FLOW = 8

/** Keys that reach into JavaScript's own objects. */
const UNSAFE: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** A text in YAML with the place of each of its keys. */
export interface SmallYaml {
  readonly value: unknown
  /** Throws a fault at the place of a key of the top, or at the beginning. */
  fault(message: string, key?: string, hint?: string): PackageFault
}

/**
 * Reads a small text in YAML: lists and maps of plain values, a few levels deep, without aliases, tags and keys that come twice.
 * Throws PackageFault.
 */
export function readSmallYaml(text: string, file: string, mostBytes: number): SmallYaml {
  if (Buffer.byteLength(text) > mostBytes) throw new PackageFault(`${file} is over ${mostBytes / 1024} KiB.`, { file })
  if (isDeep(text)) throw new PackageFault(`${file} is nested too deep.`, { file }, 'Write plain `key: value` lines and lists.')
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, version: '1.2' })
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return { file, line: Math.max(1, line), column: Math.max(1, col) }
  }
  const [wrong] = [...document.errors, ...document.warnings]
  if (wrong) throw new PackageFault(`${file} can't be read: ${wrong.message}.`, at(wrong.pos[0]))
  const places = new Map<string, number>()
  visit(document, {
    Alias: (_, { range }) => {
      throw new PackageFault('Aliases are not taken here.', at(range?.[0] ?? 0), 'Write out what is meant.')
    },
    Pair: (_, { key }, path) => {
      const name = isScalar(key) ? String(key.value) : ''
      const offset = isScalar(key) ? (key.range?.[0] ?? 0) : 0
      if (!isScalar(key) || typeof key.value !== 'string' || UNSAFE.has(name))
        throw new PackageFault(`The key "${name}" is not allowed.`, at(offset))
      if (path.length === 2) places.set(name, offset)
    },
  })
  return {
    value: document.toJS({ maxAliasCount: 0 }),
    fault: (message, key, hint) => new PackageFault(message, at(places.get(key ?? '') ?? 0), hint),
  }
}

/** Returns whether a text may be nested deep. It errs to the side of "yes": quoted brackets count, too. */
function isDeep(text: string): boolean {
  if ((text.match(/[[{]/g)?.length ?? 0) > MOST_BRACKETS) return true
  if (text.split(/\r\n|\r|\n/).some((line) => (/^[ \t?-]*/.exec(line)?.[0].length ?? 0) > MOST_INDENT)) return true
  let open = 0
  for (const [mark] of text.matchAll(/[[{}\]]/g)) {
    open = mark === '[' || mark === '{' ? open + 1 : Math.max(0, open - 1)
    if (open > MOST_FLOW) return true
  }
  return false
}
