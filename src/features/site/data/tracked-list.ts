/** A part of a list that was read: from an index up to another, or to the end, whose place then counts too (`Infinity`). */
export interface Reading {
  readonly from: number
  readonly to: number
}

/** A list that makes its items when they are read. */
export interface ListSource<Item> {
  readonly length: number
  item(index: number): Item
  /** Takes note of what was read. */
  read(reading: Reading): void
}

/** A list for templates, and what tells that nothing more of it will be read. */
export interface TrackedList<Item> {
  readonly items: readonly Item[]
  settle(): void
}

/**
 * Makes a list that says what is read of it: a template takes the first three of thousands. It is an array to who asks, so that
 * every loop and filter of Liquid takes it, and a part of it (`slice`) is one of the same kind.
 */
export function trackedList<Item>(source: ListSource<Item>): TrackedList<Item> {
  const list = { source, lengths: 0 }
  return {
    items: windowOf(list, 0, Number.POSITIVE_INFINITY),
    settle: () => {
      if (list.lengths > 0) source.read(WHOLE)
      list.lengths = 0
    },
  }
}

const WHOLE: Reading = { from: 0, to: Number.POSITIVE_INFINITY }

interface Tracked<Item> {
  readonly source: ListSource<Item>
  /**
   * Times that the length of all was asked for. A loop asks it to see whether there is anything, and then takes a part of the
   * same: this part says enough.
   */
  lengths: number
}

function windowOf<Item>(list: Tracked<Item>, from: number, to: number): readonly Item[] {
  const { source } = list
  const isOpen = to === Number.POSITIVE_INFINITY
  let lengths = 0
  const length = Math.max(0, Math.min(source.length, to) - from)
  const whole = () => source.read({ from, to })
  const all = (): Item[] => {
    whole()
    return Array.from({ length }, (_, index) => source.item(from + index))
  }
  const at = (index: number): Item | undefined => {
    source.read({ from: from + index, to: from + index + 1 })
    return index < length ? source.item(from + index) : undefined
  }
  const slice = (start: unknown = 0, end: unknown = undefined): readonly Item[] => {
    const [first, last] = [Math.trunc(Number(start)) || 0, end === undefined ? to : Math.trunc(Number(end)) || 0]
    if (first < 0 || last < 0) return all().slice(first, end === undefined ? undefined : last)
    if (lengths > 0) {
      lengths--
      list.lengths--
    }
    if (isOpen && first > 0) source.read({ from, to: from + 1 })
    return windowOf(list, from + first, Math.max(from + first, end === undefined ? to : Math.min(to, from + last)))
  }
  return new Proxy<Item[]>([], {
    get(target, key) {
      if (key === 'slice') return slice
      if (key === Symbol.iterator) return () => all()[Symbol.iterator]()
      if (key === 'length') {
        if (isOpen && length > 0) {
          lengths++
          list.lengths++
        } else whole()
        return length
      }
      if (key === 'size') {
        whole()
        return length
      }
      const index = indexOf(key)
      if (index !== undefined) return at(index)
      const found: unknown = Reflect.get(target, key)
      // Other methods of arrays work on all of it.
      return typeof found === 'function' && key !== 'constructor' ? found.bind(all()) : found
    },
    has: (target, key) => (indexOf(key) ?? length) < length || Reflect.has(target, key),
    getOwnPropertyDescriptor(target, key) {
      const index = indexOf(key)
      if (index === undefined) return Reflect.getOwnPropertyDescriptor(target, key)
      const value = at(index)
      return index < length ? { value, configurable: true, enumerable: true, writable: false } : undefined
    },
  })
}

function indexOf(key: PropertyKey): number | undefined {
  return typeof key === 'string' && /^(?:0|[1-9]\d{0,9})$/.test(key) ? Number(key) : undefined
}
