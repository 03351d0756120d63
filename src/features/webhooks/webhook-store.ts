import type { Author } from '#core/document.ts'
import { keyOf, parseKey } from '#core/key.ts'
import type { Sort } from '#core/queries/query.ts'
import type { Change, Store } from '#core/store.ts'
import { Conflict, NotFound, Stale } from '#lib/errors.ts'
import { readSecrets, type Secrets, secretsKey } from './secrets.ts'
import { fieldsOf, readWebhook, WEBHOOKS, type Webhook, type WebhookChange } from './webhook.ts'

/** The author of what Quire keeps by itself. */
export const SYSTEM: Author = { name: 'Quire', email: 'quire@localhost' }

/** Number of times that a change is made anew because another came in between. */
const TRIES = 100
const BY_TIME: readonly Sort[] = [{ field: 'created', descending: false, as: 'number' }]

/** The webhooks of a site: those of the configuration, and those that were made. */
export class WebhookStore {
  readonly #store: Store
  readonly #configured: readonly Webhook[]

  constructor({ store, configured }: { store: Store; configured: readonly Webhook[] }) {
    this.#store = store
    this.#configured = configured
  }

  /** All of them: those of the configuration first, then by the time they were made. */
  async all(): Promise<Webhook[]> {
    const { items, total } = await this.#store.heads(WEBHOOKS, { sort: BY_TIME })
    if (total === 0) return [...this.#configured]
    const kept = items.map(readWebhook)
    const made = kept.filter(({ maker }) => maker !== undefined)
    return [
      ...this.#configured.map((one) =>
        withKept(
          one,
          kept.find(({ id }) => id === one.id),
        ),
      ),
      ...made,
    ]
  }

  /** One of them; undefined where there is none. */
  async find(id: string): Promise<Webhook | undefined> {
    const key = parseKey(WEBHOOKS, id)
    const head = key && (await this.#store.head(key))
    const kept = head && readWebhook(head)
    const configured = this.#configured.find((one) => one.id === id)
    return configured ? withKept(configured, kept) : kept?.maker === undefined ? undefined : kept
  }

  /** The secrets that it signs with. Throws NotFound where there are none. */
  async secretsOf({ id, configured }: Webhook): Promise<Secrets> {
    const secrets = configured ? { secret: configured.secret } : readSecrets(await this.#store.get(secretsKey(id)))
    if (!secrets) throw new NotFound('The webhook has no secret. Make it a new one.')
    return secrets
  }

  /** Keeps a new one, with other changes in the same step. */
  async add(id: string, webhook: WebhookChange, by: Author, along: readonly Change[]): Promise<void> {
    const put = { set: fieldsOf(webhook), body: '' }
    await this.#store.write([{ key: keyOf(WEBHOOKS, id), put, expects: 'absent' }, ...along], by)
  }

  /**
   * Changes one, with other changes in the same step: `change` says how, of it as it is then, and undefined that there is nothing to
   * do. Throws NotFound where it is gone.
   */
  async change(
    id: string,
    change: (webhook: Webhook) => WebhookChange | undefined,
    { by = SYSTEM, along = [] }: { readonly by?: Author; readonly along?: readonly Change[] } = {},
  ): Promise<Webhook> {
    for (let tries = 1; ; tries++) {
      const webhook = await this.find(id)
      if (!webhook) throw new NotFound('The webhook was not found.')
      const changed = change(webhook)
      if (!changed) return webhook
      const { isEnabled, after, version } = webhook
      const put =
        version === undefined ? { set: fieldsOf({ isEnabled, after, ...changed }), body: '' } : { set: fieldsOf(changed) }
      try {
        const own: Change = { key: keyOf(WEBHOOKS, id), put, expects: version ?? 'absent' }
        await this.#store.write([own, ...along], by)
        return { ...webhook, ...changed }
      } catch (error) {
        if (!(error instanceof Stale || error instanceof Conflict) || tries === TRIES) throw error
      }
    }
  }

  /** Forgets what came of those that the configuration has no more: back in it, they are told of what comes from then on. */
  async forget(): Promise<void> {
    const { items } = await this.#store.heads(WEBHOOKS, {})
    const gone = items.map(readWebhook).filter(({ id, maker }) => !maker && !this.#configured.some((one) => one.id === id))
    if (gone.length > 0)
      await this.#store.write(
        gone.map(({ id }): Change => ({ key: keyOf(WEBHOOKS, id), remove: true })),
        SYSTEM,
      )
  }

  /** Removes one with its secrets. */
  async remove(id: string, by: Author): Promise<void> {
    const secrets = await this.#store.get(secretsKey(id))
    const own: Change = { key: keyOf(WEBHOOKS, id), remove: true }
    await this.#store.write(secrets ? [own, { key: secretsKey(id), remove: true }] : [own], by)
  }
}

/** The configuration says what it is, and its document how it fares. */
function withKept(webhook: Webhook, kept: Webhook | undefined): Webhook {
  if (!kept) return webhook
  const { url, events, configured } = webhook
  return { ...kept, url, events, maker: undefined, configured }
}
