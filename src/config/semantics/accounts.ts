import { parseMailbox } from '#core/address.ts'
import { parseDuration } from '#lib/duration.ts'
import { parseSize } from '#lib/size.ts'
import { type Fault, valueFault } from '../faults.ts'
import type { Config } from '../schema.ts'
import type { KeyPath } from '../source.ts'
import { providerFaults } from './providers.ts'

/** Finds the semantic problems in `auth`, `mail`, `billing`, `webhooks` and `git`, and lengths and sizes, once they match the schema. */
export function accountFaults(config: Config): Fault[] {
  return [
    ...providerFaults(config),
    ...signInFaults(config),
    ...mailFaults(config),
    ...billingFaults(config),
    ...webhookFaults(config),
    ...amountFaults(config),
  ]
}

/** The longest that a code may be good for: a longer one leaves more time to guess it (NIST SP 800-63B-4 §3.1.3.2). */
const LONGEST_CODE = '10m'

function signInFaults({ auth, features }: Config): Fault[] {
  const faults: Fault[] = []
  if ((parseDuration(auth.otp.ttl) ?? 0) > (parseDuration(LONGEST_CODE) ?? 0))
    faults.push(
      valueFault(
        ['auth', 'otp', 'ttl'],
        `must be at most ${LONGEST_CODE}.`,
        'A code that is good for longer is easier to guess.',
      ),
    )
  if (features.auth && auth.methods.length === 0 && Object.keys(auth.providers).length === 0) {
    faults.push(
      valueFault(
        ['auth', 'methods'],
        'is empty, and there are no providers: nobody could sign in.',
        'Name one of otp, magic_link and password, add a provider, or write features.auth: false.',
      ),
    )
  }
  return faults
}

function mailFaults({ mail }: Config): Fault[] {
  if (parseMailbox(mail.from)) return []
  return [
    valueFault(['mail', 'from'], 'must be one address, with a name before it or without.', 'Write Name <name@example.org>.'),
  ]
}

function billingFaults({ billing, features }: Config): Fault[] {
  const faults: Fault[] = []
  if (features.billing && billing.gateway === 'stripe') {
    faults.push(
      valueFault(['billing', 'gateway'], 'is stripe, which is not built yet.', 'Write manual, or features.billing: false.'),
    )
  }
  if (features.billing && !Intl.supportedValuesOf('currency').includes(billing.currency.toUpperCase())) {
    faults.push(valueFault(['billing', 'currency'], `is no currency of ISO 4217: "${billing.currency}".`))
  }
  if (billing.gateway === 'stripe' && !billing.stripe) {
    faults.push(
      valueFault(
        ['billing', 'gateway'],
        'is stripe, but billing.stripe is missing.',
        'Add billing.stripe with secret_key and webhook_secret.',
      ),
    )
  }
  const ids = billing.plans.map((plan) => plan.id)
  for (const [index, id] of ids.entries()) {
    if (ids.indexOf(id) < index) faults.push(valueFault(['billing', 'plans', index, 'id'], `is the id of another plan: "${id}".`))
  }
  return faults
}

function webhookFaults({ webhooks, features }: Config): Fault[] {
  if (webhooks.length === 0 || !features.webhooks || features.events) return []
  const says = 'are told of nothing, since features.events is false.'
  return [valueFault(['webhooks'], says, 'Take features.events out, or write features.webhooks: false.')]
}

function amountFaults({ auth, git, media }: Config): Fault[] {
  const lengths: [KeyPath, string][] = [
    [['auth', 'otp', 'ttl'], auth.otp.ttl],
    [['auth', 'refresh', 'ttl'], auth.refresh.ttl],
    [['auth', 'session', 'idle'], auth.session.idle],
    [['auth', 'session', 'max'], auth.session.max],
    [['git', 'pull'], git.pull],
    [['git', 'push'], git.push],
  ]
  const faults = lengths
    .filter(([, text]) => parseDuration(text) === 0)
    .map(([path]) =>
      valueFault(path, 'must be more than nothing.', path[0] === 'git' ? 'Write off to switch it off.' : undefined),
    )
  if (parseSize(media.max_size) === 0) faults.push(valueFault(['media', 'max_size'], 'must be more than nothing.'))
  return faults
}
