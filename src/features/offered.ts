/** A value that a field offers, and its label. */
export interface Offered {
  readonly value: string
  readonly label: string
  /** A few words on it. */
  readonly note?: string
}

/** The things to be offered: `most` of them, those with words in their title, or those of some ids. */
export interface Offering {
  readonly most: number
  readonly q?: string
  readonly ids?: readonly string[]
}

/** The way in which the values of a filter are compared, and typed. */
export type FilterKind = 'text' | 'name' | 'number' | 'day' | 'time' | 'yes' | 'choice' | 'terms'

/** A value by which a list can be narrowed. */
export interface ListFilter {
  readonly name: string
  readonly label: string
  readonly kind: FilterKind
  /** The parameter for values that are equal, where it is not `filter[name]`. */
  readonly parameter?: string
  /** The values of a choice. */
  readonly options?: readonly Offered[]
}
