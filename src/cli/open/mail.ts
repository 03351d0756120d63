import { join } from 'node:path'
import type { LoadedConfig } from '#config/load.ts'
import { parseMailbox } from '#core/address.ts'
import type { Jobs } from '#core/jobs/jobs.ts'
import type { Message } from '#core/mail.ts'
import type { Clock } from '#lib/clock.ts'
import { FolderTransport } from '#mail/folder.ts'
import { Outbox } from '#mail/outbox.ts'
import { SmtpTransport } from '#mail/smtp.ts'
import { MailTemplates } from '#mail/templates.ts'

/** Callbacks for mail while a site is open. See `OutboxDeps`. */
export interface MailListeners {
  readonly onShown?: (message: Message, shown: string) => void
  readonly log?: (message: string) => void
}

/** The mail of a site, as its configuration has it. `templates` is the folder of Quire's own. */
export function mailOf(
  loaded: LoadedConfig,
  parts: { readonly jobs: () => Jobs; readonly clock: Clock; readonly privateDir: string; readonly templates: string },
  { onShown, log }: MailListeners,
): Outbox {
  const { config, root } = loaded
  const { site, mail } = config
  const { jobs, clock, privateDir } = parts
  const transport = mail.smtp
    ? new SmtpTransport(mail.smtp, new URL(site.url).hostname)
    : new FolderTransport(join(privateDir, 'outbox'), () => makePrivate(privateDir))
  const own = join(root, site.templates, 'mail')
  const templates = new MailTemplates(join(parts.templates, 'mail'), own, log)
  const from = parseMailbox(mail.from) ?? { address: mail.from }
  return new Outbox({ jobs, transport, templates, from, site, clock, onShown, log })
}

async function makePrivate(folder: string): Promise<void> {
  const { makePrivateDir } = await import('#stores/engine/private-folder.ts')
  makePrivateDir(folder)
}
