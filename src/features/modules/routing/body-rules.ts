import type { Access } from '#core/access/access.ts'
import { checkLookups, type LookupDeps } from '#core/queries/lookups.ts'
import { Inspection } from '#core/rules/inspection.ts'
import { limitErrors } from '#core/rules/limits.ts'
import { parseRules, RULES } from '#core/rules/parse.ts'
import { type Lookup, lookups } from '#core/rules/rules.ts'
import type { Field } from '#core/types/content-type.ts'
import { fieldOf } from '#core/types/fields.ts'
import { type FieldErrors, InvalidInput } from '#lib/errors.ts'
import type { Fields } from '#lib/json.ts'
import { nearest } from '#lib/text/nearest.ts'
import type { BodyRules } from '#module/routing.ts'
import type { StoredCollection } from '../context/collections.ts'

/** The things that the rules of a body may ask: the collections of the module, and the types that it may read. */
export interface RuleDeps {
  readonly collection: (name: string) => StoredCollection | undefined
  readonly lookups: LookupDeps
  readonly access: Access
}

type Rules = Readonly<Record<string, string | readonly string[]>>

const CONFIRMATION = '_confirmation'

/** The shape of a body by rules, as those of fields of a type. */
export class BodyCheck {
  readonly #deps: RuleDeps
  readonly #fields: ReadonlyMap<string, Field>
  readonly #confirmed: ReadonlySet<string>

  /** Throws, with a sentence, for rules that there are not, and for a collection or a type that the module may not ask. */
  constructor(rules: Rules, deps: RuleDeps) {
    this.#deps = deps
    this.#fields = ruledFields(rules, deps)
    const all = [...this.#fields.values()]
    this.#confirmed = new Set(
      all.filter((field) => field.rules.some(({ name }) => name === 'confirmed')).map(({ name }) => name + CONFIRMATION),
    )
  }

  /** Resolves with the body, without second spellings; throws InvalidInput. `self` is the id that the path names, if one. */
  async checked(body: Fields, self: string | undefined): Promise<Fields> {
    const { errors, refused } = limitErrors(this.#fields, body, [])
    if (errors.fields) throw new InvalidInput(errors)
    const inspection = new Inspection(false)
    for (const name of Object.keys(body)) {
      if (!this.#fields.has(name) && !this.#confirmed.has(name) && !refused.has(name)) errors[name] = [this.#unknown(name)]
    }
    for (const field of this.#fields.values()) if (!refused.has(field.name)) inspection.field(field, body)
    const all: FieldErrors = { ...errors, ...inspection.errors }
    if (Object.keys(all).length === 0) Object.assign(all, await this.#asked(body, self))
    if (Object.keys(all).length > 0) throw new InvalidInput(all)
    return Object.fromEntries(Object.entries(body).filter(([name]) => this.#fields.has(name)))
  }

  async #asked(body: Fields, self: string | undefined): Promise<FieldErrors> {
    const errors: FieldErrors = {}
    const ofTypes: FieldErrors = {}
    for (const lookup of lookups({ fields: this.#fields }, body)) {
      const collection = this.#deps.collection(lookup.type)
      const holds = collection ? await holdsIn(collection, lookup, self) : true
      if (!holds) errors[lookup.field] = [...(errors[lookup.field] ?? []), lookup.message]
    }
    await checkLookups(this.#deps.lookups, this.#deps.access, { fields: this.#ofTypes() }, body, undefined).catch(
      (error: unknown) => {
        if (!(error instanceof InvalidInput)) throw error
        Object.assign(ofTypes, error.errors)
      },
    )
    return { ...ofTypes, ...errors }
  }

  /** The fields with the rules that ask a type of the site. */
  #ofTypes(): ReadonlyMap<string, Field> {
    const asksType = ({ argument = '' }: Field['rules'][number]) => !this.#deps.collection(targetOf(argument))
    return new Map([...this.#fields].map(([name, field]) => [name, { ...field, rules: field.rules.filter(asksType) }]))
  }

  #unknown(name: string): string {
    const near = nearest(name, [...this.#fields.keys()])
    return `There is no field "${name}".${near ? ` Did you mean "${near}"?` : ''}`
  }
}

/** Returns the rules that a body is declared by; undefined of a JSON Schema. */
export function rulesOf(body: BodyRules | object | undefined): BodyRules | undefined {
  const isRules = typeof body === 'object' && 'rules' in body && typeof body.rules === 'object'
  return isRules ? (body as BodyRules) : undefined
}

/** Returns the fields that rules name. Throws as a BodyCheck does. */
export function ruledFields(rules: Rules, deps: Pick<RuleDeps, 'collection' | 'access'>): ReadonlyMap<string, Field> {
  const fields = new Map(Object.entries(rules).map(([name, text]) => [name, ruledField(name, text)]))
  for (const { rules } of fields.values()) for (const { name, argument } of rules) if (argument) mustBeKnown(name, argument, deps)
  return fields
}

function mustBeKnown(rule: string, argument: string, { collection, access }: Pick<RuleDeps, 'collection' | 'access'>): void {
  if (rule !== 'unique' && rule !== 'exists') return
  const name = targetOf(argument)
  if (collection(name) || access.may('content:read', name)) return
  throw new Error(
    `The rule ${rule}:${argument} names "${name}", which is neither a collection of the module nor a type that a permission \`records:content:read\` names.`,
  )
}

function ruledField(name: string, text: string | readonly string[]): Field {
  const { fault } = parseRules(text)
  if (fault !== undefined) throw new Error(`The rules of "${name}": ${fault} There are ${RULES.join(', ')}.`)
  return fieldOf(name, { type: 'json', rules: text })
}

function targetOf(argument: string): string {
  return (argument.split(',')[0] ?? '').trim()
}

async function holdsIn(collection: StoredCollection, { kind, target, value }: Lookup, self: string | undefined) {
  if (kind === 'exists') return (await collection.get(String(value))) !== undefined
  const { items } = await collection.list({ where: { [target]: value }, limit: 2 })
  return items.every(({ id }) => id === self)
}
