import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Slices } from '#lib/concurrency/slices.ts'
import type { Stamps } from './date-book.ts'

/** Raised when what a line holds changes. */
const SCHEMA = 2
const LINES_AT_ONCE = 500

/** The content of the dates file: the dates of every path as of the commit `tip`. */
export interface KeptDates {
  readonly tip: string
  readonly stamps: [string, Stamps][]
}

/**
 * The dates of an earlier run: a header, then a path and three times a line. One that is missing, broken or made for something else
 * holds nothing.
 */
export class DatesFile {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  /** `circumstances` is what else they depend on: those kept in others are not used. */
  async load(circumstances: string): Promise<KeptDates | undefined> {
    const text = await readFile(this.#path, 'utf8').catch(() => '')
    const [header, ...lines] = text.split('\n')
    const tip = tipOf(header ?? '', circumstances)
    // The last line says that it is whole.
    if (tip === undefined || lines.pop() !== '' || lines.pop() !== 'end') return undefined
    const slices = new Slices()
    const stamps: [string, Stamps][] = []
    for (const line of lines) {
      const stamp = parse(line)
      if (!stamp) return undefined
      stamps.push(stamp)
      if (slices.isOver) await slices.pause()
    }
    return { tip, stamps }
  }

  /** Saves them for the next run: beside and renamed, so that there is always a whole file. Throws system errors. */
  async save(tip: string, circumstances: string, stamps: Iterable<readonly [string, Stamps]>): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 })
    const beside = `${this.#path}.${process.pid}.tmp`
    try {
      await write(beside, JSON.stringify({ schema: SCHEMA, tip, circumstances }), stamps)
      await rename(beside, this.#path)
    } catch (error) {
      await rm(beside, { force: true }).catch(() => undefined)
      throw error
    }
  }
}

async function write(path: string, header: string, stamps: Iterable<readonly [string, Stamps]>): Promise<void> {
  const file = await open(path, 'w', 0o600)
  try {
    let lines = [header]
    for (const [name, { created, updated, gone }] of stamps) {
      lines.push(`${name}\t${created ?? ''}\t${updated ?? ''}\t${gone ?? ''}`)
      if (lines.length < LINES_AT_ONCE) continue
      await file.write(`${lines.join('\n')}\n`)
      lines = []
    }
    await file.write(`${[...lines, 'end'].join('\n')}\n`)
  } finally {
    await file.close()
  }
}

function tipOf(header: string, circumstances: string): string | undefined {
  try {
    const found = JSON.parse(header) as { schema?: unknown; tip?: unknown; circumstances?: unknown }
    const isOurs = found.schema === SCHEMA && found.circumstances === circumstances
    return isOurs && typeof found.tip === 'string' && /^[0-9a-f]{40,64}$/.test(found.tip) ? found.tip : undefined
  } catch {
    return undefined
  }
}

function parse(line: string): [string, Stamps] | undefined {
  const [, path = '', ...times] = /^([^\t]+)\t(\d*)\t(\d*)\t(\d*)$/.exec(line) ?? []
  const [created, updated, gone] = times.map((time) => (time === '' ? undefined : Number(time)))
  return path === '' ? undefined : [path, { created, updated, gone }]
}
