import type { SiteSnapshot } from './site-snapshot.ts'

/** Values that are made once for each snapshot, and go with it. A promise that rejects is forgotten. */
export class PerSnapshot<Name, Value> {
  readonly #make: (name: Name, snapshot: SiteSnapshot) => Value
  readonly #made = new WeakMap<SiteSnapshot, Map<Name, Value>>()

  constructor(make: (name: Name, snapshot: SiteSnapshot) => Value) {
    this.#make = make
  }

  of(name: Name, snapshot: SiteSnapshot): Value {
    const values = this.#made.get(snapshot) ?? new Map<Name, Value>()
    this.#made.set(snapshot, values)
    const known = values.get(name)
    if (known !== undefined) return known
    const value = this.#make(name, snapshot)
    values.set(name, value)
    if (value instanceof Promise) value.catch(() => values.delete(name))
    return value
  }

  /** Has a value made anew when it is asked for next. */
  forget(name: Name, snapshot: SiteSnapshot): void {
    this.#made.get(snapshot)?.delete(name)
  }
}

/** As `PerSnapshot`, of values some of which have to be waited for: one that is there is given at once. */
export class SettledPerSnapshot<Name, Value> {
  readonly #make: (name: Name, snapshot: SiteSnapshot) => Value | Promise<Value>
  readonly #made = new WeakMap<SiteSnapshot, Map<Name, Value | Promise<Value>>>()

  constructor(make: (name: Name, snapshot: SiteSnapshot) => Value | Promise<Value>) {
    this.#make = make
  }

  of(name: Name, snapshot: SiteSnapshot): Value | Promise<Value> {
    const values = this.#made.get(snapshot) ?? new Map<Name, Value | Promise<Value>>()
    this.#made.set(snapshot, values)
    const known = values.get(name)
    if (known !== undefined) return known
    const value = this.#make(name, snapshot)
    values.set(name, value)
    if (value instanceof Promise) {
      value.then(
        (settled) => values.set(name, settled),
        () => values.delete(name),
      )
    }
    return value
  }
}
