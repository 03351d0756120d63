import { type Key, keyText } from '#core/key.ts'

const NONE: ReadonlySet<string> = new Set()

/** An index of records by path, and of paths by record. */
export class KeysByPath {
  readonly #paths = new Map<string, ReadonlySet<string>>()
  readonly #keys = new Map<string, Map<string, Key>>()

  at(path: string): Key[] {
    return [...(this.#keys.get(path)?.values() ?? [])]
  }

  /** Sets the paths of a record. */
  set(key: Key, paths: readonly string[]): void {
    const name = keyText(key)
    const before = this.#paths.get(name) ?? NONE
    const now = new Set(paths)
    // A record may have a hundred thousand aliases, of which a change of its address adds one.
    for (const path of before) if (!now.has(path)) this.#drop(path, name)
    for (const path of now) if (!before.has(path)) this.#add(path, name, key)
    if (now.size === 0) this.#paths.delete(name)
    else this.#paths.set(name, now)
  }

  #add(path: string, name: string, key: Key): void {
    const keys = this.#keys.get(path)
    if (keys) keys.set(name, key)
    else this.#keys.set(path, new Map([[name, key]]))
  }

  #drop(path: string, name: string): void {
    const keys = this.#keys.get(path)
    keys?.delete(name)
    if (keys?.size === 0) this.#keys.delete(path)
  }
}
