import { isDeepStrictEqual } from 'node:util'
import type { Schema } from './shapes.ts'

const NAME = /^[A-Z][A-Za-z0-9]*$/
/** Keywords that hold values, in which a title is just a title. */
const VALUES: ReadonlySet<string> = new Set(['examples', 'example', 'default', 'const', 'enum'])

/**
 * The shapes that have a name: their `title`, in PascalCase. Validators see them whole; a document has each once, and names it.
 */
export class Components {
  readonly #schemas = new Map<string, Schema>()

  /**
   * The schema as it stands in a document: a reference in the place of every shape that has a name. Throws where two shapes have
   * one name.
   */
  use(schema: object): Schema {
    const { title, ...rest } = schema as Schema
    if (typeof title !== 'string' || !NAME.test(title)) return this.#parts(schema as Schema)
    if (isNullable(rest)) return this.#orNull(title, rest)
    const shape = this.#parts(rest)
    const known = this.#schemas.get(title)
    if (known && !isDeepStrictEqual(known, shape)) throw new Error(`Two shapes are called "${title}".`)
    this.#schemas.set(title, shape)
    return { $ref: `#/components/schemas/${title}` }
  }

  /** The shape itself is without null, and what is said of the place where it stands is no part of it. */
  #orNull(title: string, { description, ...rest }: Schema): Schema {
    const shape = this.use({ ...rest, title, type: 'object' })
    return { ...(description !== undefined && { description }), anyOf: [shape, { type: 'null' }] } as Schema
  }

  /** All that were used, by name. */
  schemas(): Record<string, Schema> {
    const byName = [...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1))
    return Object.fromEntries(byName)
  }

  #parts(schema: Schema): Schema {
    return Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, VALUES.has(name) ? value : this.#part(value)]))
  }

  #part(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#part(item))
    return typeof value === 'object' && value !== null ? this.use(value) : value
  }
}

function isNullable({ type }: Schema): boolean {
  return isDeepStrictEqual(type, ['object', 'null'])
}
