import type { Fact } from '#core/ledger.ts'

/** Remembers the facts that were given to another place, to tell whether they are still what is here. */
export class GivenFacts {
  #states: Map<string, { readonly value: string; readonly until: number }> | undefined

  /** Gives facts, and remembers these alone. */
  async *giving(facts: AsyncIterable<Fact>): AsyncGenerator<Fact> {
    const states = new Map<string, { value: string; until: number }>()
    this.#states = states
    for await (const fact of facts) {
      states.set(fact.name, { value: JSON.stringify(fact.value), until: fact.until })
      yield fact
    }
  }

  /** Returns whether the facts of now are those that were given, without what has ended by `now`. True where none were given yet. */
  async areStill(facts: AsyncIterable<Fact>, now: number): Promise<boolean> {
    if (!this.#states) return true
    const left = new Map(this.#states)
    for await (const { name, value, until } of facts) {
      const given = left.get(name)
      if (given?.until !== until || given.value !== JSON.stringify(value)) return false
      left.delete(name)
    }
    return [...left.values()].every(({ until }) => until <= now)
  }
}
