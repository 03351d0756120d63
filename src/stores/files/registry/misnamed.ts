import type { Problem } from '#core/document.ts'
import { type BadName, placeOf } from '#core/files/layout.ts'
import { type Key, type Kind, keyText } from '#core/key.ts'
import { nameProblem } from './faults.ts'

/** A file whose name can't be an id. */
interface Bad extends BadName {
  /** From the site's root. */
  readonly path: string
}

/** A problem with a name, and the kind of the folder that the file is in. */
interface MisnamedFile {
  readonly kind: Kind
  readonly problem: Problem
}

/**
 * Files whose names can't be ids, each with another name proposed that is like no other: no file's, and no other proposal's, also
 * but for case.
 */
export class Misnamed {
  readonly #byFolder = new Map<string, Map<string, Bad>>()
  readonly #isTaken: (path: string, key: Key) => boolean
  /** Problems of the files, by the ids they would have; made on demand. */
  #told: ReadonlyMap<string, readonly MisnamedFile[]> | undefined

  /** `isTaken` tells whether another file is at a path from the site's root, or has the id that it would have. */
  constructor(isTaken: (path: string, key: Key) => boolean) {
    this.#isTaken = isTaken
  }

  add(folder: string, name: string, bad: BadName): void {
    const files = this.#byFolder.get(folder) ?? new Map<string, Bad>()
    this.#byFolder.set(folder, files.set(name, { ...bad, path: `${folder}/${name}` }))
    this.renew()
  }

  remove(folder: string, name: string): void {
    if (this.#byFolder.get(folder)?.delete(name)) this.renew()
  }

  forget(folder: string): void {
    if (this.#byFolder.delete(folder)) this.renew()
  }

  /** Says that other files came or went: another name may be free, or taken. */
  renew(): void {
    this.#told = undefined
  }

  all(): MisnamedFile[] {
    return [...this.#all().values()].flat()
  }

  /** Finds the problem of the file that would have this id, in NFC, if it were one. */
  find(kind: Kind, id: string): Problem | undefined {
    return this.#byFolder.size === 0 ? undefined : this.#all().get(`${kind}/${id}`)?.[0]?.problem
  }

  #all(): ReadonlyMap<string, readonly MisnamedFile[]> {
    this.#told ??= this.#tell()
    return this.#told
  }

  #tell(): Map<string, MisnamedFile[]> {
    const told = new Map<string, MisnamedFile[]>()
    const proposed = new Set<string>()
    const numbers = new Map<string, number>()
    const all = [...this.#byFolder.values()].flatMap((files) => [...files.values()])
    for (const bad of all.sort((a, b) => (a.path < b.path ? -1 : 1))) {
      const text = `${bad.folder.kind}/${bad.id}`
      const problem = nameProblem(bad.path, bad.fault, this.#proposal(bad, proposed, numbers))
      const same = told.get(text)
      if (same) same.push({ kind: bad.folder.kind, problem })
      else told.set(text, [{ kind: bad.folder.kind, problem }])
    }
    return told
  }

  /** The name below the folder of the kind: that which is like the file's, with a number where it is another's. */
  #proposal({ folder: of, below, like, extension, path }: Bad, proposed: Set<string>, numbers: Map<string, number>): string {
    const folder = path.slice(0, path.length - below.length)
    for (let n = numbers.get(folder + like) ?? 1; ; n++) {
      const name = `${like}${n === 1 ? '' : `-${n}`}.${extension}`
      const place = placeOf(of, name)
      if (!place || !('key' in place)) return name
      const text = keyText(place.key).toLowerCase()
      if (proposed.has(text) || this.#isTaken(folder + name, place.key)) continue
      numbers.set(folder + like, n + 1)
      proposed.add(text)
      return name
    }
  }
}
