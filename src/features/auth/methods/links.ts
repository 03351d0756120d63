import { randomBytes } from 'node:crypto'
import type { Ledger } from '#core/ledger.ts'
import type { Composed, Mailer, Message } from '#core/mail.ts'
import { INVITATION_LIFE } from '#features/users/accounts.ts'
import type { User } from '#features/users/user.ts'
import type { Users } from '#features/users/users.ts'
import type { Clock } from '#lib/clock.ts'
import { NotFound } from '#lib/errors.ts'
import type { Fields, Json } from '#lib/json.ts'
import { type Attempts, hashed, MESSAGE_LIFE } from '../attempts.ts'
import { addressOf, notSignedIn, type Registration } from '../registration.ts'
import type { Handovers } from '../sessions/handovers.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** Milliseconds that a requested link is good. */
const LINK_LIFE = 10 * MINUTE

const TOKEN = /^[A-Za-z0-9_-]{43}$/

/** The dependencies of links. `siteUrl` is the base of all links, regardless of the address of the request. */
export interface LinkDeps {
  readonly users: Users
  readonly ledger: Ledger
  readonly clock: Clock
  readonly mailer: Mailer
  readonly attempts: Attempts
  readonly registration: Registration
  readonly handovers: Pick<Handovers, 'to'>
  readonly siteUrl: string
  /** True if links can be requested. Invitations are sent in any case. */
  readonly isOn: boolean
  /** The address of the panel that links of its own, and invitations, lead to; undefined where there is none. */
  readonly panelUrl: string | undefined
}

/** The meaning of a link: an e-mail address, and the target of the redirect after sign-in. */
interface Standing {
  readonly address: string
  readonly sort: Sort
  readonly to: string | undefined
}

type Sort = 'link' | 'invitation'

/** Signing in with a link that comes by mail: 32 random bytes, good once, the newest alone. Only its hash is kept. */
export class Links {
  readonly #deps: LinkDeps

  constructor(deps: LinkDeps) {
    this.#deps = deps
  }

  /** Lifetime of a requested link, in seconds. */
  readonly seconds = LINK_LIFE / 1000

  /**
   * Has a link sent to an address, as often as a code. `to` is where the browser is led in the end: one of `auth.redirects`, or
   * BadRequest.
   */
  async send(email: string, to: string | undefined): Promise<void> {
    const target = this.#deps.handovers.to(to)
    await this.#send(email, target === undefined ? {} : { to: target })
  }

  /** Has a link sent that signs in to the panel, as often as any. */
  async sendForPanel(email: string): Promise<void> {
    await this.#send(email, { panel: true })
  }

  async #send(email: string, data: Fields): Promise<void> {
    const { attempts, mailer, clock } = this.#deps
    const address = addressOf(email)
    if (!(await attempts.maySend('link', address))) return
    await mailer.send({ template: 'link', to: address, data, until: clock.now() + MESSAGE_LIFE })
  }

  /** Makes the link for a message; nothing for a user who may not sign in by one. */
  async compose(message: Message): Promise<Composed<'link'> | undefined> {
    const user = await this.#deps.users.byEmail(message.to)
    if (!this.#deps.isOn || !this.#deps.registration.admits(user)) return undefined
    const { to, panel } = message.data
    const standing = { address: message.to, sort: 'link', to: typeof to === 'string' ? to : undefined } as const
    const link = await this.#make(standing, LINK_LIFE, panel === true)
    return { ...(user && { name: user.name }), values: { link, minutes: LINK_LIFE / MINUTE }, shown: link }
  }

  /**
   * Makes the link that an invitation brings: it signs in, and sets nothing by itself. Nothing where the account is gone or
   * disabled.
   */
  async composeInvitation({ to: address }: Message): Promise<Composed<'invitation'> | undefined> {
    const user = await this.#deps.users.byEmail(address)
    if (!user || user.disabled) return undefined
    const link = await this.#make({ address, sort: 'invitation', to: undefined }, INVITATION_LIFE, true)
    return { name: user.name, values: { link, days: INVITATION_LIFE / DAY }, shown: link }
  }

  /**
   * Resolves with the redirect target of a valid link, without spending it. Undefined for any other link. Throws NotFound if
   * links are switched off.
   */
  async look(token: string): Promise<{ to: string | undefined } | undefined> {
    const standing = this.#checked(TOKEN.test(token) ? read(await this.#deps.ledger.peek(nameOf(token))) : undefined)
    return standing && (await this.#isNewest(standing, token)) ? { to: this.#deps.handovers.to(standing.to) } : undefined
  }

  /**
   * Spends a link and resolves with its user and redirect target. Throws Unauthorized for a link that is unknown, expired, spent,
   * or not the newest.
   */
  async spend(token: string): Promise<{ user: User; to: string | undefined }> {
    const { ledger, registration, attempts } = this.#deps
    const standing = this.#checked(TOKEN.test(token) ? read(await ledger.take(nameOf(token))) : undefined)
    // What was allowed when the link was asked for may not be any more.
    const to = this.#deps.handovers.to(standing?.to)
    if (!standing || !(await this.#isNewest(standing, token))) throw notSignedIn()
    await ledger.take(newestName(standing))
    const user = await registration.admit(standing.address)
    if (!user) throw notSignedIn()
    await attempts.signedIn(standing.address, 'link')
    return { user, to }
  }

  async #make(standing: Standing, life: number, isForPanel: boolean): Promise<string> {
    const { ledger, siteUrl, panelUrl } = this.#deps
    const token = randomBytes(32).toString('base64url')
    const { address, sort, to = null } = standing
    // At once, so that they share the wait for the disk.
    await Promise.all([
      ledger.put(nameOf(token), { address, sort, to }, life),
      ledger.put(newestName(standing), hashed(token), life),
    ])
    if (isForPanel && panelUrl !== undefined) return `${panelUrl}/admin/login/link?token=${token}`
    return `${siteUrl.replace(/\/+$/, '')}/api/auth/magic-link/verify?token=${token}`
  }

  #checked(standing: Standing | undefined): Standing | undefined {
    if (!this.#deps.isOn && standing?.sort !== 'invitation') throw new NotFound('There is nothing at this address.')
    return standing
  }

  async #isNewest(standing: Standing, token: string): Promise<boolean> {
    return (await this.#deps.ledger.peek(newestName(standing))) === hashed(token)
  }
}

function nameOf(token: string): string {
  return `link.${hashed(token)}`
}

function newestName({ address, sort }: Standing): string {
  return `${sort}.newest.${hashed(address)}`
}

function read(fact: Json | undefined): Standing | undefined {
  if (typeof fact !== 'object' || fact === null || Array.isArray(fact)) return undefined
  const { address, sort, to } = fact
  if (typeof address !== 'string' || (sort !== 'link' && sort !== 'invitation')) return undefined
  return { address, sort, to: typeof to === 'string' ? to : undefined }
}
