import type { Access } from '#core/access/access.ts'
import { withMediaPaths } from '#core/media/media-values.ts'
import { checkLookups, type LookupDeps } from '#core/queries/lookups.ts'
import { Inspection } from '#core/rules/inspection.ts'
import { limitErrors } from '#core/rules/limits.ts'
import { secretIn } from '#core/secrets.ts'
import { CUSTOM, type Setting } from '#core/settings.ts'
import type { Field } from '#core/types/content-type.ts'
import { fieldOf } from '#core/types/fields.ts'
import { InvalidInput } from '#lib/errors.ts'
import type { Json } from '#lib/json.ts'
import { nearest } from '#lib/text/nearest.ts'

/**
 * Checks a value for a setting by its type and rules, as those of fields are; `held` is the one that it has. Returns
 * it with media named by their paths. Throws InvalidInput, also for what looks like a secret.
 */
export async function checkValue(deps: LookupDeps, access: Access, field: Field, sent: Json, held?: Json): Promise<Json> {
  const media = deps.media?.()
  const named = { ...field, name: 'value' }
  const fields = new Map([['value', named]])
  // Before the names of media are read: there may be a hundred thousand.
  const { errors } = limitErrors(fields, { value: sent }, held === undefined ? [] : [{ value: held }])
  if (Object.keys(errors).length > 0) throw new InvalidInput(errors)
  const { value = null } = media ? withMediaPaths({ value: sent }, fields, media.site) : { value: sent }
  const inspection = new Inspection(false)
  inspection.field(named, { value }, [held])
  if (Object.keys(inspection.errors).length > 0) throw new InvalidInput(inspection.errors)
  const secret = secretIn(value)
  if (secret !== undefined) throw new InvalidInput({ value: [`The value holds a ${secret}. ${NO_PLACE}`] })
  await checkLookups(deps, access, { fields }, { value }, undefined)
  return value
}

const NO_PLACE = 'Settings are kept with the content, where it is no secret; keep it in the environment of what needs it.'

/** Returns the field that a setting's values are of. Throws InvalidInput for one that can't be set. */
export function writableField(declared: ReadonlyMap<string, Setting>, key: string): Field {
  const setting = declared.get(key)
  if (setting) return setting.field
  if (key.startsWith(`${CUSTOM}.`)) return fieldOf(key, { type: 'json' })
  throw noWritable(declared, key)
}

/** The error for a setting that can't be set: there is none of that name. */
export function noWritable(declared: ReadonlyMap<string, Setting>, key: string): InvalidInput {
  const near = nearest(key, declared.keys())
  const hint = near ? `Did you mean "${near}"?` : `What is not declared can be set under "${CUSTOM}." alone.`
  return new InvalidInput({ key: [`There is no setting "${key}". ${hint}`] })
}
