import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Remark } from '#core/backend.ts'
import type { Problem } from '#core/document.ts'
import { isPrivateHidden, isRecordName } from '#core/files/layout.ts'
import { isKind, type Key, keyText } from '#core/key.ts'
import type { ContentTypes } from '#core/types/content-type.ts'
import { InvalidInput } from '#lib/errors.ts'
import { PRIVATE, Tree } from '../disk/tree.ts'
import { FileRegistry } from '../registry/file-registry.ts'
import { type Entry, pathOf } from '../registry/registry.ts'

/** The most bytes of a file that is carried, whatever it is. */
const MOST_BYTES = 512 * 1024 * 1024

/** Folders of the private one that hold no documents. */
const NO_KINDS: ReadonlySet<string> = new Set(['cache', 'backups', 'jobs', 'media', 'outbox', 'audit'])

/** Lists the documents in a private folder, which each kind has a folder of its own for: the names of files by that of the folder. */
export function privateFiles(privateDir: string): [folder: string, files: string[]][] {
  const folders = orNone(() => readdirSync(privateDir, { withFileTypes: true }))
  const names = folders.flatMap((entry) => (entry.isDirectory() && isKind(`.${entry.name}`) ? [entry.name] : []))
  return names.sort().flatMap((name): [string, string[]][] => {
    const files = NO_KINDS.has(name) ? [] : orNone(() => readdirSync(join(privateDir, name), { withFileTypes: true }))
    const found = files.filter((file) => file.isFile() && isRecordName(file.name) && !isPrivateHidden(file.name))
    return found.length === 0 ? [] : [[name, found.map((file) => file.name).sort()]]
  })
}

/** A site's folders: `content` is from its root, `privateDir` absolute. */
export interface Folders {
  readonly root: string
  readonly content: string
  readonly privateDir: string
  readonly types: ContentTypes
}

/** Every document that a site in files holds now. */
export class Present {
  readonly registry: FileRegistry
  readonly remarks: Remark[] = []
  readonly #tree: Tree
  readonly #privateDir: string
  readonly #privates: Entry[] = []

  /**
   * Looks at all there is. Throws InvalidInput, with all of it named, where a file can be no document elsewhere: of no id, or of
   * another's.
   */
  constructor({ root, content, privateDir, types }: Folders) {
    this.#tree = new Tree(root, content, privateDir)
    this.#privateDir = privateDir
    this.registry = new FileRegistry(this.#tree, types, () => undefined)
    this.registry.walk(this.#tree.content)
    this.#look()
    this.#check()
  }

  /** The files of content, by path. */
  entries(): Entry[] {
    return [...this.registry.folders.contentEntries()].sort((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1))
  }

  privates(): readonly Entry[] {
    return this.#privates
  }

  /** The file of a key's document, from the site's root. */
  fileOf(key: Key): string | undefined {
    const [entry] = this.registry.claims(key)
    return entry && pathOf(entry)
  }

  /** The bytes of a document, whatever they are. */
  read(entry: Entry): Buffer {
    const reading = this.#tree.read(pathOf(entry), MOST_BYTES)
    if (!reading) throw new InvalidInput({ [pathOf(entry)]: [`${pathOf(entry)} is gone, or can't be read.`] })
    return Buffer.from(reading.bytes)
  }

  /** The same as long as no document changes. */
  fingerprint(): string {
    const hash = createHash('sha256')
    for (const entry of this.entries()) hash.update(`${pathOf(entry)}\0${entry.head.version || entry.stamp}\0`)
    for (const entry of this.#privates) hash.update(`${pathOf(entry)}\0${entry.head.version}\0`)
    return hash.digest('hex')
  }

  /** Kinds that are private have each a folder of records. */
  #look(): void {
    for (const [name, files] of privateFiles(this.#privateDir)) {
      this.registry.walk(`${PRIVATE}/${name}`)
      for (const file of files) this.#take(`${PRIVATE}/${name}`, file)
    }
  }

  #take(folder: string, name: string): void {
    const place = this.registry.places.ofFile(folder, name)
    const key = place && 'key' in place ? place.key : undefined
    const entry = key && this.registry.claims(key).find((one) => one.folder === folder && one.name === name)
    if (entry) this.#privates.push(entry)
  }

  #check(): void {
    const faults: Record<string, string[]> = {}
    const say = ({ file, message, hint }: Problem) => {
      faults[file] = [`${file}: ${message}${hint ? ` ${hint}` : ''}`]
    }
    const files = new Set([...this.registry.folders.contentEntries(), ...this.#privates].map(pathOf))
    for (const problem of this.registry.problems()) {
      if (files.has(problem.file)) continue
      if (problem.severity === 'error') say(problem)
      else this.remarks.push({ message: `${problem.file} is not moved: ${problem.message}` })
    }
    for (const entry of [...this.registry.folders.contentEntries(), ...this.#privates]) {
      const problem = this.#faultOf(entry)
      if (problem) say(problem)
    }
    if (Object.keys(faults).length > 0) throw new InvalidInput(faults)
  }

  /**
   * Returns the problem that keeps an entry from being transferred: it has no id of its own, or its bytes cannot be read. A file
   * that is unreadable as a record can be transferred.
   */
  #faultOf(entry: Entry): Problem | undefined {
    const claims = this.registry.claims(entry.head.key)
    if (claims.length > 1) {
      const files = claims.map(pathOf).sort().join(', ')
      const message = `${files} have one id, ${keyText(entry.head.key)}.`
      return { file: pathOf(entry), message, hint: 'Rename all but one.', severity: 'error' }
    }
    if (entry.head.version !== '' || this.#tree.tryRead(pathOf(entry), MOST_BYTES)) return undefined
    return entry.head.problem
  }
}

function orNone<T>(read: () => T[]): T[] {
  try {
    return read()
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return []
    throw error
  }
}
