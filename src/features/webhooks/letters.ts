import type { Mail } from '#core/mail.ts'
import { hasFailed } from './sending/attempts.ts'
import type { Webhook } from './webhook.ts'
import type { WebhookStore } from './webhook-store.ts'

/** An owner of the site. */
export interface Owner {
  readonly name: string
  readonly email: string
}

/** The dependencies of letters. */
export interface LettersDeps {
  readonly webhooks: WebhookStore
  readonly owners: () => Promise<readonly Owner[]>
  /** Absent where nobody can sign in: there is nobody to be written to. */
  readonly mail: Mail | undefined
  readonly site: { readonly url: string }
  /** The address of the panel, where there is one. */
  readonly panelUrl: string | undefined
}

/** Letters to the owners of a site about webhooks that were disabled. */
export class Letters {
  readonly #deps: LettersDeps

  constructor(deps: LettersDeps) {
    this.#deps = deps
  }

  /** Registers what composes them. */
  begin(): void {
    this.#deps.mail?.composes({
      'webhook-disabled': async ({ to, data }) => {
        const { webhooks, owners, site, panelUrl } = this.#deps
        const webhook = await webhooks.find(String(data.webhook))
        const owner = (await owners()).find(({ email }) => email === to)
        if (!owner || !webhook || !hasFailed(webhook)) return undefined
        // What follows the host is often a secret of the receiver's.
        const values = {
          host: new URL(webhook.url).host,
          link: panelUrl ? `${panelUrl}/admin/webhooks/${webhook.id}/edit` : site.url,
        }
        return { name: owner.name, values, shown: '' }
      },
    })
  }

  /** Tells all owners of one that was disabled. */
  async send({ id }: Webhook): Promise<void> {
    for (const { email } of await this.#deps.owners())
      await this.#deps.mail?.send({ template: 'webhook-disabled', to: email, data: { webhook: id } })
  }
}
