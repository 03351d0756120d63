import { createHash } from 'node:crypto'
import { PRESETS, SCOPES } from '#core/access/access.ts'
import { BUILT_IN_ROLES } from '#core/access/roles.ts'
import { typeFault } from '#core/types/types.ts'
import { type Fault, keyFault, valueFault } from '../faults.ts'
import type { Config, TokenConfig } from '../schema.ts'
import type { KeyPath } from '../source.ts'
import { keyHint } from '../words.ts'
import { knownFields, takesOthers } from './known-fields.ts'

/** Finds the semantic problems in `api` and `roles`, once they match the schema. */
export function accessFaults(config: Config): Fault[] {
  const names = config.api.tokens.map((token) => token.name)
  const tokens = config.api.tokens.flatMap((token, index) =>
    tokenFaults(token, ['api', 'tokens', index], names.indexOf(token.name) < index),
  )
  return [...tokens, ...originFaults(config), ...Object.keys(config.roles).flatMap((name) => roleFaults(config, name))]
}

/** The fault of a token in plain text at `path`, with the hash to write in its place. */
export function plainTokenFault(path: KeyPath, secret: unknown): Fault {
  const mend =
    typeof secret === 'string' ? `hash: "sha256:${createHash('sha256').update(secret).digest('hex')}"` : 'hash: "sha256:…"'
  return keyFault(
    path,
    ': a token in plain text can be read by whoever reads this file.',
    `Put it into an environment variable and write \`env: NAME\`, or write \`${mend}\` in its place.`,
  )
}

function tokenFaults(token: TokenConfig, path: KeyPath, again: boolean): Fault[] {
  const faults = token.scopes.flatMap((scope, index) => scopeFaults([...path, 'scopes', index], scope))
  if (again) faults.push(valueFault([...path, 'name'], `is the name of another token: "${token.name}".`))
  if ((token.env === undefined) === (token.hash === undefined)) {
    faults.push(keyFault(path, ': a token has either env or hash.', 'Write `env: NAME`, or `hash: "sha256:…"`.'))
  }
  if (token.expires_at !== undefined && Number.isNaN(Date.parse(token.expires_at))) {
    faults.push(valueFault([...path, 'expires_at'], 'must be a day or an instant, such as 2027-01-01.'))
  }
  return [...faults, ...(token.types ?? []).flatMap((type, index) => typeNameFaults([...path, 'types', index], type))]
}

function scopeFaults(path: KeyPath, scope: string, known: readonly string[] = [...Object.keys(PRESETS), ...SCOPES]): Fault[] {
  const [name = '', ...types] = scope.split('@')
  if (!known.includes(name))
    return [valueFault(path, `names the scope "${name}", which is not there.`, keyHint(name, known, 'There are'))]
  if (types.length > 1) return [valueFault(path, 'may be narrowed to one type only.')]
  return types.flatMap((type) => typeNameFaults(path, type))
}

function typeNameFaults(path: KeyPath, type: string): Fault[] {
  const fault = typeFault(type)
  return fault ? [valueFault(path, `names the type "${type}", which ${fault}.`)] : []
}

function originFaults({ api }: Config): Fault[] {
  return api.cors.origins.flatMap((origin, index) => {
    if (origin === '*' || (URL.canParse(origin) && new URL(origin).origin === origin)) return []
    const near = URL.canParse(origin) ? new URL(origin).origin : 'null'
    const hint = near === 'null' ? 'For instance https://example.org, or * for all.' : `Write ${near}.`
    return [
      valueFault(
        ['api', 'cors', 'origins', index],
        'must be an origin: scheme, host, and port if it is not the usual one.',
        hint,
      ),
    ]
  })
}

function roleFaults(config: Config, name: string): Fault[] {
  const { roles } = config
  const path = ['roles', name]
  const role = roles[name]
  if (!role) return []
  if ((BUILT_IN_ROLES as readonly string[]).includes(name)) return [keyFault(path, ' is a built-in role: choose another name.')]
  const faults = role.allow.flatMap((scope, index) => scopeFaults([...path, 'allow', index], scope, SCOPES))
  const known = [...BUILT_IN_ROLES, ...Object.keys(roles)]
  if (!known.includes(role.extends)) {
    faults.push(
      valueFault(
        [...path, 'extends'],
        `names the role "${role.extends}", which is not there.`,
        keyHint(role.extends, known, 'There are'),
      ),
    )
  }
  if (circles(roles, name)) faults.push(valueFault([...path, 'extends'], 'leads back to the role itself.'))
  for (const [type, names] of Object.entries(role.fields)) {
    faults.push(...writableFaults(config, [...path, 'fields', type], type, names))
  }
  return faults
}

/** A type that is not declared takes any field, and so does one that takes others. */
function writableFaults(config: Config, path: KeyPath, type: string, names: readonly string[]): Fault[] {
  const declared = Object.hasOwn(config.types, type) ? config.types[type] : undefined
  const fault = declared ? undefined : typeFault(type)
  if (fault) return [keyFault(path, `: the name ${fault}.`)]
  if (!declared || takesOthers(declared)) return []
  const known = knownFields(config, type)
  return names.flatMap((name, index) =>
    known.includes(name)
      ? []
      : [valueFault([...path, index], `names the field "${name}", which is not there.`, keyHint(name, known, 'There are'))],
  )
}

function circles(roles: Config['roles'], name: string): boolean {
  const seen = new Set<string>()
  for (
    let at = roles[name]?.extends;
    at !== undefined && !seen.has(at);
    at = Object.hasOwn(roles, at) ? roles[at]?.extends : undefined
  ) {
    if (at === name) return true
    seen.add(at)
  }
  return false
}
