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

/** The longest trial that Stripe takes, in days. */
const LONGEST_TRIAL = 730

function billingFaults({ billing, features }: Config): Fault[] {
  const faults: Fault[] = []
  if (features.billing && !Intl.supportedValuesOf('currency').includes(billing.currency.toUpperCase())) {
    faults.push(valueFault(['billing', 'currency'], `is no currency of ISO 4217: "${billing.currency}".`))
  }
  const ids = billing.plans.map((plan) => plan.id)
  for (const [index, id] of ids.entries()) {
    if (ids.indexOf(id) < index) faults.push(valueFault(['billing', 'plans', index, 'id'], `is the id of another plan: "${id}".`))
  }
  return billing.gateway === 'stripe' ? [...faults, ...stripeFaults(billing)] : faults
}

function stripeFaults({ stripe, plans }: Config['billing']): Fault[] {
  const faults: Fault[] = []
  if (!stripe) {
    const hint = 'Add billing.stripe with secret_key and webhook_secret.'
    faults.push(valueFault(['billing', 'gateway'], 'is stripe, but billing.stripe is missing.', hint))
  }
  if (stripe?.api_base && !isGuarded(stripe.api_base)) {
    const says = 'must be https, or an address of this machine: the secret key is sent there.'
    faults.push(valueFault(['billing', 'stripe', 'api_base'], says))
  }
  const prices = plans.map((plan) => plan.stripe_price)
  for (const [index, { id, stripe_price: price, trial_days: days }] of plans.entries()) {
    const hint = 'Write the id of its price at Stripe: stripe_price: price_….'
    if (price === undefined) faults.push(valueFault(['billing', 'plans', index], `"${id}" has no stripe_price.`, hint))
    else if (prices.indexOf(price) < index) {
      faults.push(valueFault(['billing', 'plans', index, 'stripe_price'], `is the price of another plan: "${price}".`))
    }
    if (days > LONGEST_TRIAL) {
      faults.push(
        valueFault(['billing', 'plans', index, 'trial_days'], `must be at most ${LONGEST_TRIAL}: Stripe takes no more.`),
      )
    }
  }
  return faults
}

function isGuarded(address: string): boolean {
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
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
