import type { Head, Version } from '#core/document.ts'
import { type Key, keyText } from '#core/key.ts'
import type { Changed } from '#core/store.ts'
import { externalChange } from '#stores/engine/changes.ts'

/** The changes that a write is about to make to the files, until they are seen there: the files do not say who wrote them. */
export class Announced {
  readonly #changes = new Map<string, Changed[]>()
  /** The documents that were seen in a state of somebody else's during the write. */
  readonly #others = new Set<string>()
  #areMade = false

  /** Begins a write; returns the changes of the last one that were not seen. */
  begin(changes: readonly Changed[]): Changed[] {
    const left = this.#takeAll()
    this.#areMade = false
    this.#others.clear()
    for (const change of changes) {
      const text = keyText(change.key)
      const others = this.#changes.get(text)
      if (others) others.push(change)
      else this.#changes.set(text, [change])
    }
    return left
  }

  /** Returns the changes that brought a document from the state that it was seen in before into that of a head. */
  seen(key: Key, head: Head | undefined, former: Head | undefined): Changed[] {
    const text = keyText(key)
    const ours = this.#changes.get(text) ?? []
    const isOurs = ours.length > 0 && ours.at(-1)?.version === head?.version
    // What is seen before ours is made came before it, and what is seen after, after it.
    if (!isOurs && !this.#areMade) {
      this.#others.add(text)
      return [externalChange(key, head, former)]
    }
    this.#changes.delete(text)
    return isOurs ? ours : [...ours, externalChange(key, head, ours.at(-1)?.is ?? former)]
  }

  /**
   * Ends a write. Returns the changes that can't be seen: several of one document that left it as it was, and those that somebody
   * wrote over at once.
   */
  end(areMade: boolean, versionOf: (key: Key) => Version | undefined): Changed[] {
    this.#areMade = true
    if (!areMade) this.#changes.clear()
    const unseen: Changed[] = []
    for (const [text, ours] of this.#changes) {
      const last = ours.at(-1)
      if (!last || (versionOf(last.key) !== last.version && !this.#others.has(text))) continue
      unseen.push(...ours)
      this.#changes.delete(text)
    }
    return unseen
  }

  #takeAll(): Changed[] {
    const all = [...this.#changes.values()].flat()
    this.#changes.clear()
    return all
  }
}
