import { isSecureAddress } from '#lib/secure-address.ts'
import { type Fault, keyFault, valueFault } from '../faults.ts'
import type { Config } from '../schema.ts'
import type { KeyPath } from '../source.ts'

const NEEDS = {
  oidc: ['issuer'],
  oauth2: ['authorize_url', 'token_url', 'user_url'],
} as const

const ADDRESSES = ['issuer', 'authorize_url', 'token_url', 'user_url', 'emails_url'] as const

/** A provider's name. It is part of an address, and of the callback registered with the provider. */
const NAME = /^[a-z0-9][a-z0-9_-]{0,39}$/

type Provider = Config['auth']['providers'][string]

/** Finds the semantic problems in `auth.providers` and `auth.redirects`, once they match the schema. */
export function providerFaults({ auth, site }: Config): Fault[] {
  const entries = Object.entries(auth.providers)
  return [
    ...entries.flatMap(([name, provider]) => oneFaults(['auth', 'providers', name], name, provider)),
    ...(entries.length > 0 && !isSecureAddress(site.url) ? [plainSite()] : []),
    ...auth.redirects.flatMap((address, index) => redirectFaults(['auth', 'redirects', index], address)),
  ]
}

function oneFaults(path: KeyPath, name: string, provider: Provider): Fault[] {
  const missing = NEEDS[provider.kind].filter((key) => provider[key] === undefined)
  const plain = ADDRESSES.filter((key) => provider[key] !== undefined && !isSecureAddress(provider[key]))
  return [
    ...(NAME.test(name)
      ? []
      : [keyFault(path, ': a name here is a part of addresses: small letters, digits, - and _, at most 40.')]),
    ...missing.map((key) => keyFault(path, `: a provider of the kind ${provider.kind} needs "${key}".`)),
    ...plain.map((key) =>
      valueFault([...path, key], 'must be an https address.', 'Plain http is for a provider on this machine.'),
    ),
  ]
}

/**
 * Returns the fault of a site over http: a sign-in there is visible to everybody on the way, and providers do not redirect to it.
 */
function plainSite(): Fault {
  const hint = 'Write the address that browsers use, with https: https://example.org.'
  return valueFault(['site', 'url'], 'must be https where people sign in with providers (auth.providers).', hint)
}

function redirectFaults(path: KeyPath, address: string): Fault[] {
  if (!isSecureAddress(address))
    return [valueFault(path, 'must be an https address.', 'Plain http is for an application on this machine.')]
  const { username, password } = new URL(address)
  if (`${username}${password}` === '' && !address.includes('#')) return []
  return [valueFault(path, 'must be an address without a name, a password and a part after #.')]
}
