import type { Access } from '#core/access.ts'
import type { Field } from '#core/content-type.ts'
import { checkLookups, type LookupDeps } from '#core/lookups.ts'
import { withMediaPaths } from '#core/media-values.ts'
import { Inspection } from '#core/rules/inspection.ts'
import { limitErrors } from '#core/rules/limits.ts'
import { secretIn } from '#core/secrets.ts'
import { InvalidInput } from '#lib/errors.ts'
import type { Json } from '#lib/json.ts'

/**
 * Checks a value for a setting by its type and rules, as those of fields are; `held` is the one that it has. Returns
 * it with media named by their paths. Throws InvalidInput, also for what looks like a secret.
 */
export async function checkValue(deps: LookupDeps, access: Access, field: Field, sent: Json, held?: Json): Promise<Json> {
  const media = deps.media?.()
  const named = { ...field, name: 'value' }
  const fields = new Map([['value', named]])
  const { value = null } = media ? withMediaPaths({ value: sent }, fields, media.site) : { value: sent }
  const { errors } = limitErrors(fields, { value }, held === undefined ? [] : [{ value: held }])
  if (Object.keys(errors).length > 0) throw new InvalidInput(errors)
  const inspection = new Inspection(false)
  inspection.field(named, { value }, [held])
  if (Object.keys(inspection.errors).length > 0) throw new InvalidInput(inspection.errors)
  const secret = secretIn(value)
  if (secret !== undefined) throw new InvalidInput({ value: [`The value holds a ${secret}. ${NO_PLACE}`] })
  await checkLookups(deps, access, { fields }, { value }, undefined)
  return value
}

const NO_PLACE = 'Settings are kept with the content, where it is no secret; keep it in the environment of what needs it.'
