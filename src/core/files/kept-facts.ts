import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Cache } from '#lib/cache.ts'

/** Bytes of a file of facts from which on it is written anew. */
const MOST_BYTES = 8 * 1024 * 1024

/**
 * Facts about versions of things by their names, in memory and in a file to which each is added as a line. The file only saves
 * time: one that is gone, torn or can't be written is no error, and several processes may use it.
 */
export class KeptFacts<Fact extends {}> {
  readonly #path: string | undefined
  readonly #most: number
  #facts: Cache<Fact> | undefined

  /** `folder` is where the file is; without it facts are in memory alone. `most` is how many are kept. */
  constructor(folder: string | undefined, name: string, most: number) {
    this.#path = folder === undefined ? undefined : join(folder, `${name}.ndjson`)
    this.#most = most
  }

  get(name: string, version: string): Fact | undefined {
    return this.#known().get(name, version)
  }

  set(name: string, version: string, fact: Fact): void {
    this.#known().set(name, fact, version)
    if (this.#path === undefined) return
    try {
      mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 })
      appendFileSync(this.#path, lineOf([name, version, fact]), { mode: 0o600 })
    } catch {
      // A full disk, or a folder that can't be written to.
    }
  }

  #known(): Cache<Fact> {
    this.#facts ??= this.#read()
    return this.#facts
  }

  #read(): Cache<Fact> {
    const facts = new Cache<Fact>({ most: this.#most })
    if (this.#path === undefined) return facts
    const text = textOf(this.#path)
    const lines = new Map(text.split('\n').flatMap((line) => parsed<Fact>(line)))
    const kept = [...lines].slice(-this.#most)
    for (const [name, [version, fact]] of kept) facts.set(name, fact, version)
    if (text.length > MOST_BYTES) rewrite(this.#path, kept.map(([name, rest]) => lineOf([name, ...rest])).join(''))
    return facts
  }
}

type Line<Fact> = [name: string, version: string, fact: Fact]

function lineOf<Fact>(line: Line<Fact>): string {
  return `${JSON.stringify(line)}\n`
}

/** The fact of a line; nothing where it is torn. */
function parsed<Fact>(line: string): [[string, [version: string, fact: Fact]]] | [] {
  try {
    const [name, version, fact] = JSON.parse(line) as Line<Fact>
    return [[name, [version, fact]]]
  } catch {
    return []
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function rewrite(path: string, text: string): void {
  const beside = `${path}.${process.pid}.tmp`
  try {
    writeFileSync(beside, text, { mode: 0o600 })
    renameSync(beside, path)
  } catch {
    rmSync(beside, { force: true })
  }
}
