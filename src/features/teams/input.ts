import { type FieldErrors, InvalidInput } from '#lib/errors.ts'
import { composed } from '#lib/text/normal-form.ts'

const LONGEST = 100
const SLUG = /^[a-z0-9][a-z0-9-]*$/

/** Checks the name and the slug of a team, as far as they are given, and returns them as they are kept. Throws InvalidInput. */
export function checkTeam<T extends { readonly name?: string | undefined; readonly slug?: string | undefined }>(input: T): T {
  const errors: FieldErrors = {}
  const name = input.name === undefined ? undefined : composed(input.name).trim()
  if (name === '') errors.name = ['The name is required.']
  else if (name !== undefined && (name.length > LONGEST || /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(name)))
    errors.name = [`The name may have ${LONGEST} characters, none of them a control character.`]
  if (input.slug !== undefined && (input.slug.length > LONGEST || !SLUG.test(input.slug)))
    errors.slug = [`The slug may have ${LONGEST} characters: small letters, digits and -, the first a letter or a digit.`]
  if (Object.keys(errors).length > 0) throw new InvalidInput(errors)
  return name === undefined ? input : { ...input, name }
}
