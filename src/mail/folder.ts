import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { HealthProblem } from '#core/backend.ts'
import { writeSynced } from '#lib/files/atomic.ts'
import { mimeOf } from './mime.ts'
import type { RenderedMessage, Transport } from './transport.ts'

/** Puts messages into a folder, for sites without a mail server: each a file that any mail program opens. */
export class FolderTransport implements Transport {
  readonly keeps = true
  readonly #folder: string
  readonly #prepare: () => Promise<void>

  /** `folder` is absolute; `prepare` makes the private folder that it is in. */
  constructor(folder: string, prepare: () => Promise<void>) {
    this.#folder = folder
    this.#prepare = prepare
  }

  async deliver(message: RenderedMessage): Promise<string> {
    const { createTransport } = await import('nodemailer')
    const made = await createTransport({ streamTransport: true, buffer: true, newline: 'windows' }).sendMail(mimeOf(message))
    await this.#prepare()
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    return this.#write(message.date.toISOString().replaceAll(/[:.]/g, '-'), Buffer.from(made.message as Buffer))
  }

  async examine(): Promise<HealthProblem> {
    const says = `There is no mail server: messages are put into ${this.#folder}.`
    return { name: 'mail', state: 'note', says, hint: 'mail.smtp in cms.config.yaml names one.' }
  }

  async #write(time: string, bytes: Buffer): Promise<string> {
    for (let n = 1; ; n++) {
      const path = join(this.#folder, `${time}-${n}.eml`)
      try {
        await writeSynced(path, bytes, 'wx', 0o600)
        return path
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      }
    }
  }
}
