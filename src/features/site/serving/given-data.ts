import { secretIn } from '#core/secrets.ts'
import type { Json } from '#lib/json.ts'

/** Names whose values are not shown, wherever they are: nobody knows what front matter holds. */
const UNSHOWN_NAME = /pass(?:word|wd|phrase)?$|secret|token|api_?key|private|credential/i
/** Paths of data whose names alone are shown: settings may be for few, and a file of data for nobody but templates. */
const NAMES_ALONE: ReadonlySet<string> = new Set(['settings', 'site.data'])
const MOST_LINES = 200
const MOST_NAMES = 40
const DEEPEST = 4
const LONGEST = 100

interface Walk {
  readonly lines: string[]
}

/**
 * Describes the data that a template was given, in lines with two spaces for each level: texts are cut, of lists the first item
 * is shown, and values of settings and of data files never are.
 */
export function describeData(given: object): string[] {
  const walk: Walk = { lines: [] }
  describeNames(given, '', 0, walk)
  return walk.lines
}

function describeNames(value: object, path: string, depth: number, walk: Walk): void {
  const names = namesOf(value)
  const isHidden = NAMES_ALONE.has(path)
  for (const name of names.slice(0, MOST_NAMES)) {
    if (walk.lines.length >= MOST_LINES) return
    const at = path === '' ? name : `${path}.${name}`
    const isSecret = isHidden || UNSHOWN_NAME.test(name)
    if (isSecret) walk.lines.push(`${'  '.repeat(depth)}${shortened(name)}: (not shown)`)
    else describe(name, readOf(value, name), { path: at, depth }, walk)
  }
  if (names.length > MOST_NAMES) walk.lines.push(`${'  '.repeat(depth)}… ${names.length - MOST_NAMES} more`)
}

function describe(name: string, value: unknown, { path, depth }: { path: string; depth: number }, walk: Walk): void {
  const before = `${'  '.repeat(depth)}${shortened(name)}: `
  if (typeof value !== 'object' || value === null) {
    walk.lines.push(before + textOf(value))
    return
  }
  if (Array.isArray(value)) {
    walk.lines.push(`${before}a list of ${value.length}`)
    const first: unknown = depth < DEEPEST ? value[0] : undefined
    if (first !== undefined) describe('first', first, { path: `${path}.first`, depth: depth + 1 }, walk)
    return
  }
  walk.lines.push(before.trimEnd())
  if (depth < DEEPEST) describeNames(value, path, depth + 1, walk)
}

function namesOf(value: object): string[] {
  try {
    return Object.keys(value)
  } catch {
    return []
  }
}

/** The value of a property; its getter may be what has failed. */
function readOf(value: object, name: string): unknown {
  try {
    return (value as Readonly<Record<string, unknown>>)[name]
  } catch {
    return undefined
  }
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') return value === undefined || typeof value === 'function' ? 'nothing' : String(value)
  return secretIn(value as Json) ? '(not shown)' : JSON.stringify(shortened(value))
}

function shortened(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}
