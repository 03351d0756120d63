import { statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { orAbsent, stampOf } from '#lib/files/stamp.ts'
import type { IndexEntry } from '../index/bytes.ts'
import type { Objects } from '../objects/objects.ts'
import type { Repository } from '../repository.ts'
import { readSettings } from '../settings.ts'
import { areMentioned, attributesOf } from './attributes.ts'
import {
  type Conversion,
  checkedOutBytes,
  conversionOf,
  type EndingSettings,
  endsWithCrlf,
  hasCrlf,
  isTextWithCrlf,
  keptBytes,
} from './line-endings.ts'

/** Bytes at a path from the top of the working tree. */
export interface PlacedBytes {
  readonly path: string
  readonly bytes: Buffer
}

type Entries = ReadonlyMap<string, IndexEntry>

const NAMES = ['text', 'crlf', 'eol'] as const
const MENTIONS = /(?:^|\s)[-!]?(?:text|crlf|eol|binary)\b|\[attr\]/m
const MENTIONS_CRLF = /crlf|\[attr\]/
const NONE: Entries = new Map()

/**
 * Converts line endings as git does: the bytes of a file to those that it keeps, and back. No process is run where nothing is to
 * be converted.
 */
export class Conversions {
  readonly #repository: Repository
  readonly #objects: Objects
  #settings: EndingSettings
  #stamps: string
  #asked: { readonly paths: Set<string>; readonly found: Promise<Map<string, Conversion | undefined>> } | undefined

  constructor(repository: Repository, objects: Objects) {
    this.#repository = repository
    this.#objects = objects
    this.#settings = repository.endings
    this.#stamps = stampsOf(repository)
  }

  /**
   * Returns a function that says what git keeps of the bytes of a file, for these. `entries` is what the index has of the paths,
   * and of those of `attributePaths`.
   */
  async keeper(files: readonly PlacedBytes[], entries: Entries): Promise<(path: string, bytes: Buffer) => Buffer> {
    const paths = [...new Set(files.filter(({ bytes }) => hasCrlf(bytes)).map(({ path }) => path))]
    if (paths.length === 0) return (_, bytes) => bytes
    const conversions = await this.#of(paths, entries)
    const crlf = new Set<string>()
    for (const path of paths) {
      const id = conversions.get(path)?.isAuto ? entries.get(path)?.id : undefined
      const kept = id === undefined ? undefined : await this.#objects.read(id)
      if (kept && isTextWithCrlf(kept.bytes)) crlf.add(path)
    }
    return (path, bytes) => keptBytes(bytes, conversions.get(path), crlf.has(path))
  }

  /**
   * Returns a function that says what git puts into the file at one of these paths for what it keeps. With `index`, an index that
   * is about to be, its attributes decide.
   */
  async checkOut(
    paths: readonly string[],
    entries: Entries = NONE,
    index?: string,
  ): Promise<(path: string, bytes: Buffer) => Buffer> {
    if (index === undefined && !(await this.#mayPutCrlf(paths, entries))) return (_, bytes) => bytes
    const conversions = await this.#of(paths, entries, index)
    return (path, bytes) => checkedOutBytes(bytes, conversions.get(path))
  }

  /** Returns the bytes that a checkout would leave in place of these, in a file that git has nothing of yet. */
  async anew(path: string, bytes: Buffer): Promise<Buffer> {
    const keep = await this.keeper([{ path, bytes }], NONE)
    const put = await this.checkOut([path])
    return put(path, keep(path, bytes))
  }

  /** Finds the conversion of a path in the working tree; questions of the same moment are one. */
  async of(path: string): Promise<Conversion | undefined> {
    if (!this.#asked) {
      const paths = new Set<string>()
      const found = new Promise((resolve) => setImmediate(resolve)).then(() => {
        this.#asked = undefined
        return this.#of([...paths], NONE)
      })
      this.#asked = { paths, found }
    }
    this.#asked.paths.add(path)
    return (await this.#asked.found).get(path)
  }

  async #mayPutCrlf(paths: readonly string[], entries: Entries): Promise<boolean> {
    const settings = await this.#read()
    if (settings.autocrlf === 'true') return true
    return areMentioned(endsWithCrlf(settings) ? MENTIONS : MENTIONS_CRLF, this.#repository, paths, entries)
  }

  async #of(paths: readonly string[], entries: Entries, index?: string): Promise<Map<string, Conversion | undefined>> {
    const settings = await this.#read()
    const isAsked = index !== undefined || areMentioned(MENTIONS, this.#repository, paths, entries)
    const found = isAsked ? await attributesOf(this.#repository, paths, NAMES, index) : undefined
    const one = (path: string) => {
      const values = found?.get(path)
      return conversionOf({ text: values?.get('text'), crlf: values?.get('crlf'), eol: values?.get('eol') }, settings)
    }
    return new Map(paths.map((path) => [path, one(path)]))
  }

  /** The settings, read again where a file of the configuration was changed. */
  async #read(): Promise<EndingSettings> {
    const stamps = stampsOf(this.#repository)
    if (stamps === this.#stamps) return this.#settings
    const { endings } = await readSettings(this.#repository.top)
    this.#settings = endings
    this.#stamps = stamps
    return endings
  }
}

function stampsOf({ dir, common }: Repository): string {
  const { XDG_CONFIG_HOME, GIT_CONFIG_GLOBAL } = process.env
  const folder = XDG_CONFIG_HOME || join(homedir(), '.config')
  const own = [join(common, 'config'), join(dir, 'config.worktree')]
  const others = [
    join(homedir(), '.gitconfig'),
    join(folder, 'git', 'config'),
    '/etc/gitconfig',
    GIT_CONFIG_GLOBAL || '/etc/gitconfig',
  ]
  return [...own, ...others].map(stampThrough).join(' ')
}

/** A configuration is often a link to one that is kept elsewhere: the stamp of that. */
function stampThrough(file: string): string {
  const stats = orAbsent(() => statSync(file, { bigint: true, throwIfNoEntry: false }))
  return stats ? stampOf(stats) : ''
}
