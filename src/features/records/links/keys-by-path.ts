import { type Key, keyText } from '#core/key.ts'

/** An index of records by path, and of paths by record. */
export class KeysByPath {
  readonly #paths = new Map<string, readonly string[]>()
  readonly #keys = new Map<string, Map<string, Key>>()

  at(path: string): Key[] {
    return [...(this.#keys.get(path)?.values() ?? [])]
  }

  /** Sets the paths of a record. */
  set(key: Key, paths: readonly string[]): void {
    const name = keyText(key)
    for (const path of this.#paths.get(name) ?? []) this.#drop(path, name)
    if (paths.length === 0) this.#paths.delete(name)
    else this.#paths.set(name, paths)
    for (const path of paths) {
      const keys = this.#keys.get(path)
      if (keys) keys.set(name, key)
      else this.#keys.set(path, new Map([[name, key]]))
    }
  }

  #drop(path: string, name: string): void {
    const keys = this.#keys.get(path)
    keys?.delete(name)
    if (keys?.size === 0) this.#keys.delete(path)
  }
}
