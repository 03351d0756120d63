import { isDeepStrictEqual } from 'node:util'
import type { RE2JS } from 're2js'
import { isObject } from '#frontmatter/changes.ts'
import type { FieldErrors } from '#lib/errors.ts'
import type { Fields, Json } from '#lib/json.ts'
import { nearest } from '#lib/text/nearest.ts'
import type { Field } from '../types/content-type.ts'
import { valueFault } from '../types/values.ts'
import { isEmpty, isRequired, ruleFaults, say } from './checks.ts'
import { HeldItems, heldAt } from './held.ts'
import { compileRegex } from './parse.ts'

/** Errors beyond so many are not looked for: each has a message, and a path that may be long. */
const MOST_ERRORS = 100

/** Rules that the list in a field with `multiple` keeps as a whole; each of its items keeps the others. */
const OF_THE_LIST: ReadonlySet<string> = new Set(['required', 'nullable', 'array', 'min', 'max', 'between'])

/** The place of a value in what was sent, and the values that stood there. */
interface Place {
  readonly path: string
  readonly held: readonly (Json | undefined)[]
  readonly isInList: boolean
}

/** Checks values of declared fields, as deep as these are declared. Finds 100 errors at most. */
export class Inspection {
  /** Messages by the path of a value: `parts.0.name`. */
  readonly errors: FieldErrors = {}
  readonly #takesOthers: boolean
  readonly #patterns = new Map<string, RE2JS | undefined>()
  #found = 0

  /** `takesOthers`: objects take keys that are not declared. */
  constructor(takesOthers: boolean) {
    this.#takesOthers = takesOthers
  }

  /**
   * Checks the value that a request has for a field of a record. `held` are the values that the record has, or had when it was
   * read: what stands within one of them is kept, and not checked. Null and absent values are asked for `required` alone.
   */
  field(field: Field, fields: Readonly<Fields>, held: readonly (Json | undefined)[] = []): void {
    const value = Object.hasOwn(fields, field.name) ? fields[field.name] : undefined
    const before = this.#found
    this.#check(field, value, { path: field.name, held, isInList: false })
    const isConfirmed = field.rules.some(({ name }) => name === 'confirmed')
    if (!isConfirmed || (value ?? null) === null || this.#found > before) return
    if (!isDeepStrictEqual(fields[`${field.name}_confirmation`], value)) this.#say(field.name, 'confirmation does not match.')
  }

  #check(field: Field, value: Json | undefined, at: Place): void {
    if (this.#found >= MOST_ERRORS) return
    if (isEmpty(value) && isRequired(field)) this.#say(at.path, 'is required.')
    else if (value === undefined || value === null) return
    else if (field.multiple) this.#several(field, value, at)
    else this.#one(field, value, at)
  }

  #one(field: Field, value: Json, at: Place): void {
    const fault = valueFault(field, value) ?? field.custom?.check?.(value)
    const faults = fault === undefined ? ruleFaults(field.rules, value, this.#pattern) : [fault]
    for (const text of faults) this.#say(at.path, text)
    if (field.of && Array.isArray(value)) this.#items(field.of, value, at)
    if (field.fields && isObject(value)) this.#parts(field.fields, value, at)
  }

  #several(field: Field, value: Json, at: Place): void {
    const ofList = field.rules.filter(({ name }) => OF_THE_LIST.has(name))
    const faults = Array.isArray(value) ? ruleFaults(ofList, value, this.#pattern) : ['must be an array.']
    for (const text of faults) this.#say(at.path, text)
    const { multiple: _, ...one } = field
    const ofItems = field.rules.filter((rule) => !ofList.includes(rule))
    if (Array.isArray(value)) this.#items({ ...one, rules: ofItems }, value, at)
  }

  /** An item that the list had, wherever it was, is kept; any other is compared with the one that was in its place. */
  #items(field: Field, values: readonly Json[], { path, held, isInList }: Place): void {
    const mayBeNull = field.rules.some(({ name }) => name === 'nullable')
    const had = new HeldItems(held, isInList)
    for (const [n, value] of values.entries()) {
      if (this.#found >= MOST_ERRORS) return
      if (had.has(value, n)) continue
      const at = { path: `${path}.${n}`, held: had.at(n), isInList: true }
      if (value === null && !mayBeNull && !isRequired(field)) this.#say(at.path, 'must not be null.')
      else this.#check(field, value, at)
    }
  }

  #parts(fields: ReadonlyMap<string, Field>, value: Readonly<Fields>, { path, held, isInList }: Place): void {
    const place = (name: string): Place => ({ path: `${path}.${name}`, held: heldAt(held, name), isInList })
    const isKept = (name: string, { held }: Place) => held.some((one) => isDeepStrictEqual(one ?? null, value[name] ?? null))
    const others = this.#takesOthers ? [] : Object.keys(value).filter((name) => !fields.has(name))
    for (const name of others) {
      if (this.#found >= MOST_ERRORS) break
      const at = place(name)
      if (!isKept(name, at)) this.#add(at.path, unknown(path, name, fields))
    }
    for (const [name, field] of fields) {
      const at = place(name)
      if (!isKept(name, at)) this.#check(field, Object.hasOwn(value, name) ? value[name] : undefined, at)
    }
  }

  #say(path: string, fault: string): void {
    this.#add(path, say(path, fault))
  }

  #add(path: string, message: string): void {
    if (this.#found >= MOST_ERRORS) return
    this.#found++
    this.errors[path] = [...(this.errors[path] ?? []), message]
  }

  /** Lists have many values for one rule. */
  readonly #pattern = (argument: string): RE2JS | undefined => {
    if (!this.#patterns.has(argument)) this.#patterns.set(argument, compileRegex(argument))
    return this.#patterns.get(argument)
  }
}

function unknown(path: string, name: string, fields: ReadonlyMap<string, Field>): string {
  const near = nearest(name, fields.keys())
  return `The ${path} has no field "${name}".${near ? ` Did you mean "${near}"?` : ''}`
}
