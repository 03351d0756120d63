import { Inspection } from '#core/rules/inspection.ts'
import { limitErrors } from '#core/rules/limits.ts'
import { parseRules, RULES } from '#core/rules/parse.ts'
import type { Field } from '#core/types/content-type.ts'
import { fieldOf } from '#core/types/fields.ts'
import { type FieldErrors, InvalidInput } from '#lib/errors.ts'
import type { Fields } from '#lib/json.ts'
import { Nearest } from '#lib/text/nearest.ts'
import type { BodyRules } from '#module/routing.ts'
import { type OwnLookupDeps, ownLookupErrors, targetOf } from '../context/own-lookups.ts'

type Rules = Readonly<Record<string, string | readonly string[]>>

const CONFIRMATION = '_confirmation'

/** The shape of a body by rules, as those of fields of a type. */
export class BodyCheck {
  readonly #deps: OwnLookupDeps
  readonly #fields: ReadonlyMap<string, Field>
  readonly #confirmed: ReadonlySet<string>

  /** Throws, with a sentence, for rules that there are not, and for a collection or a type that the module may not ask. */
  constructor(rules: Rules, deps: OwnLookupDeps) {
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
    const hints = new Nearest(this.#fields.keys())
    for (const name of Object.keys(body)) {
      if (!this.#fields.has(name) && !this.#confirmed.has(name) && !refused.has(name)) errors[name] = [unknown(name, hints)]
    }
    for (const field of this.#fields.values()) if (!refused.has(field.name)) inspection.field(field, body)
    const all: FieldErrors = { ...errors, ...inspection.errors }
    if (Object.keys(all).length === 0)
      Object.assign(all, await ownLookupErrors(this.#deps, this.#fields, body, { isSelf: ({ id }) => id === self }))
    if (Object.keys(all).length > 0) throw new InvalidInput(all)
    return Object.fromEntries(Object.entries(body).filter(([name]) => this.#fields.has(name)))
  }
}

function unknown(name: string, hints: Nearest): string {
  const near = hints.to(name)
  return `There is no field "${name}".${near ? ` Did you mean "${near}"?` : ''}`
}

/** Returns the rules that a body is declared by; undefined of a JSON Schema. */
export function rulesOf(body: BodyRules | object | undefined): BodyRules | undefined {
  const isRules = typeof body === 'object' && 'rules' in body && typeof body.rules === 'object'
  return isRules ? (body as BodyRules) : undefined
}

/** Returns the fields that rules name. Throws as a BodyCheck does. */
export function ruledFields(rules: Rules, deps: Pick<OwnLookupDeps, 'kindOf' | 'access'>): ReadonlyMap<string, Field> {
  const fields = new Map(Object.entries(rules).map(([name, text]) => [name, ruledField(name, text)]))
  for (const { rules } of fields.values()) for (const { name, argument } of rules) if (argument) mustBeKnown(name, argument, deps)
  return fields
}

function mustBeKnown(rule: string, argument: string, { kindOf, access }: Pick<OwnLookupDeps, 'kindOf' | 'access'>): void {
  if (rule !== 'unique' && rule !== 'exists') return
  const name = targetOf(argument)
  if (kindOf(name) !== undefined || access.may('content:read', name)) return
  throw new Error(
    `The rule ${rule}:${argument} names "${name}", which is neither a collection of the module nor a type that a permission \`records:content:read\` names.`,
  )
}

function ruledField(name: string, text: string | readonly string[]): Field {
  const { fault } = parseRules(text)
  if (fault !== undefined) throw new Error(`The rules of "${name}": ${fault} There are ${RULES.join(', ')}.`)
  return fieldOf(name, { type: 'json', rules: text })
}
