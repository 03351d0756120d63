import { type Flat, flatten, TOP, unflatten, type Values } from './flat.ts'
import { type Item, isSameTarget } from './tree.ts'

/** A side of a conflict that was picked. */
export type Side = 'yours' | 'theirs'

/** The sides that were picked, by the names of conflicts. */
export type Picks = ReadonlyMap<string, Side>

/** Three states of a menu: that which an edit began from, the edit, and the menu as it is now. */
export interface Sides {
  readonly base: readonly Item[]
  readonly yours: readonly Item[]
  readonly theirs: readonly Item[]
  /** Items of `theirs` that whoever sent `yours` does not see: they stay where they are, and go with what they are below. */
  readonly hidden: ReadonlySet<string>
  readonly picks?: Picks | undefined
}

/** The result of two edits; `conflicts` are `items.<id>.<field>`, and `items` for order and place. */
export interface Merged {
  readonly items: readonly Item[]
  readonly conflicts: readonly string[]
}

const FIELDS = {
  label: (one: Values, other: Values) => one.label === other.label,
  target: (one: Values, other: Values) => isSameTarget(one.target, other.target),
  newTab: (one: Values, other: Values) => one.newTab === other.newTab,
} as const satisfies Record<keyof Values, unknown>

/** The name of a conflict of order and place. */
export const PLACE = 'items'

/** Merges two edits of a menu by the ids of its items: one that was moved here and renamed there is both. */
export function mergeItems(sides: Sides): Merged {
  return new Merge(sides).done()
}

/** Names what differs between two states of a menu, as conflicts are named. */
export function differences(yours: readonly Item[], theirs: readonly Item[]): string[] {
  const [mine, other] = [flatten(yours), flatten(theirs)]
  const found = new Set<string>()
  for (const [id, values] of mine.values) {
    const now = other.values.get(id)
    if (now) for (const field of changed(values, now)) found.add(nameOf(id, field, values, now))
  }
  if (JSON.stringify([...mine.orders]) !== JSON.stringify([...other.orders])) found.add(PLACE)
  return [...found]
}

class Merge {
  readonly #base: Flat
  readonly #yours: Flat
  readonly #theirs: Flat
  readonly #hidden: ReadonlySet<string>
  readonly #picks: Picks
  readonly #conflicts = new Set<string>()
  readonly #made: Flat = { values: new Map(), parents: new Map(), orders: new Map() }

  constructor({ base, yours, theirs, hidden, picks = new Map() }: Sides) {
    this.#base = flatten(base)
    this.#yours = flatten(yours)
    this.#theirs = flatten(theirs)
    this.#hidden = hidden
    this.#picks = picks
  }

  done(): Merged {
    for (const id of new Set([...this.#theirs.values.keys(), ...this.#yours.values.keys()])) this.#item(id)
    this.#place()
    if (this.#conflicts.size === 0) this.#order()
    return { items: this.#conflicts.size === 0 ? unflatten(this.#made) : [], conflicts: [...this.#conflicts] }
  }

  #item(id: string): void {
    const [was, mine, now] = [this.#base, this.#yours, this.#theirs].map(({ values }) => values.get(id))
    if (mine && now) this.#both(id, was, mine, now)
    else if (mine) this.#single(id, was, mine, 'yours')
    else if (now) this.#single(id, was, now, 'theirs')
  }

  /** The side that was picked where two edits meet; without one, that is a conflict. */
  #pick(name: string): Side | undefined {
    const side = this.#picks.get(name)
    if (!side) this.#conflicts.add(name)
    return side
  }

  /** An item that is new on one side, or was taken away on the other: a conflict where it was changed on this one. */
  #single(id: string, was: Values | undefined, one: Values, side: Side): void {
    const parent = this.#parent(side === 'yours' ? this.#yours : this.#theirs, id)
    const met = was ? changed(one, was).map((field) => nameOf(id, field, one, was)) : []
    if (was && parent !== this.#parent(this.#base, id)) met.push(PLACE)
    const picks = met.map((name) => this.#pick(name))
    if (!was || picks.includes(side)) this.#keep(id, one, parent)
  }

  #both(id: string, was: Values | undefined, mine: Values, now: Values): void {
    const made: { -readonly [K in keyof Values]: Values[K] } = { ...now }
    for (const field of changed(mine, now)) {
      const name = nameOf(id, field, mine, now)
      const isOurs = was && FIELDS[field](now, was)
      const isTheirs = was && FIELDS[field](mine, was)
      const side = this.#picks.get(name) ?? (isTheirs ? 'theirs' : isOurs ? 'yours' : this.#pick(name))
      if (side === 'yours') Object.assign(made, { [field]: mine[field] })
    }
    const [from, to, other] = [this.#base, this.#yours, this.#theirs].map((side) => side.parents.get(id))
    const isMet = to !== other && to !== from && other !== from
    const side = this.#picks.get(PLACE) ?? (isMet ? this.#pick(PLACE) : to === from ? 'theirs' : 'yours')
    this.#keep(id, made, (side === 'yours' ? to : other) ?? TOP)
  }

  #keep(id: string, values: Values, parent: string): void {
    this.#made.values.set(id, values)
    this.#made.parents.set(id, parent)
  }

  #parent({ parents }: Flat, id: string): string {
    return parents.get(id) ?? TOP
  }

  /** Takes along with an item that was taken away those below it that the reader does not see; others are a conflict. */
  #place(): void {
    const { parents, values } = this.#made
    const safe = new Set([TOP])
    for (const id of [...parents.keys()]) {
      const way: string[] = []
      let at = id
      while (!safe.has(at) && parents.has(at) && !way.includes(at)) {
        way.push(at)
        at = parents.get(at) ?? TOP
      }
      if (safe.has(at)) for (const one of way) safe.add(one)
      else if (way.every((one) => this.#hidden.has(one)) && !way.includes(at))
        for (const one of way) [parents, values].map((map) => map.delete(one))
      // What it was below is gone: a side was picked, so it stays, and is below none.
      else if (this.#pick(PLACE)) parents.set(way.at(-1) ?? id, TOP)
    }
  }

  #order(): void {
    const below = new Map<string, Set<string>>([[TOP, new Set()]])
    for (const [id, parent] of this.#made.parents) below.set(parent, (below.get(parent) ?? new Set()).add(id))
    for (const [parent, ids] of below) {
      const of = ({ orders }: Flat) => (orders.get(parent) ?? []).filter((id) => ids.has(id))
      this.#made.orders.set(parent, this.#merged(of(this.#base), of(this.#yours), of(this.#theirs)))
    }
  }

  #merged(base: readonly string[], yours: readonly string[], theirs: readonly string[]): string[] {
    const side = this.#picks.get(PLACE)
    if (side) return side === 'yours' ? withOthers(yours, theirs) : withOthers(theirs, yours)
    const [mine, now] = [new Set(yours), new Set(theirs)]
    const shared = yours.filter((id) => now.has(id))
    const isShared = new Set(shared)
    const other = theirs.filter((id) => mine.has(id))
    if (isEqual(shared, other)) return withOthers(theirs, yours)
    const was = base.filter((id) => isShared.has(id))
    if (isEqual(other, was)) return withOthers(yours, theirs)
    if (isEqual(shared, was)) return withOthers(theirs, yours)
    this.#conflicts.add(PLACE)
    return theirs.slice()
  }
}

/** An order with what only the other one has, each behind what it is behind there. */
function withOthers(order: readonly string[], other: readonly string[]): string[] {
  const known = new Set(order)
  const behind = new Map<string, string[]>()
  let last = TOP
  for (const id of other) {
    if (known.has(id)) last = id
    else behind.set(last, [...(behind.get(last) ?? []), id])
  }
  return [TOP, ...order].flatMap((id) => [...(id === TOP ? [] : [id]), ...(behind.get(id) ?? [])])
}

function isEqual(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((id, n) => id === other[n])
}

function changed(one: Values, other: Values): (keyof Values)[] {
  return (Object.keys(FIELDS) as (keyof Values)[]).filter((field) => !FIELDS[field](one, other))
}

function nameOf(id: string, field: keyof Values, ...sides: readonly Values[]): string {
  if (field !== 'target') return `items.${id}.${field === 'newTab' ? 'new_tab' : field}`
  const isRecord = sides.some(({ target }) => target && 'record' in target)
  return `items.${id}.${isRecord ? 'record' : 'url'}`
}
