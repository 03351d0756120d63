import type { AddressInfo } from 'node:net'
import type { Message } from '#core/mail.ts'
import { isLoopbackHost } from '#lib/secure-address.ts'
import type { Call } from '../command.ts'
import { bracketed, isLocalServer, urlOf } from '../listening.ts'
import type { Quire } from '../open/site.ts'
import type { Output } from '../output.ts'

/** Prints a server's mail problems, and the codes and links of messages if only the person at the terminal can read them. */
export class MailWords {
  readonly #output: Output
  #isShown = false
  /** A warning that is shown once, before anybody follows a link that leads elsewhere. */
  #aboutLinks: string | undefined

  constructor({ output }: Call) {
    this.#output = output
  }

  /**
   * Takes note of where the server listens. With a mail server, the target of links is printed at once; else with the first
   * message that has one.
   */
  listening(config: Quire['config'], bound: AddressInfo): void {
    this.#isShown = isLocalServer(config, bound.address) && isLoopbackHost(new URL(config.site.url).hostname)
    this.#aboutLinks = config.features.auth ? aboutLinks(config.site.url, bound) : undefined
    if (config.mail.smtp) this.#mentionLinks()
  }

  readonly onShown = ({ to }: Message, shown: string): void => {
    if (URL.canParse(shown)) this.#mentionLinks()
    // What is not a terminal may be a log, where no code belongs.
    if (this.#isShown && this.#output.terminal && !this.#output.options.json) this.#output.say(`For ${to}: ${shown}`)
  }

  readonly log = (message: string): void => {
    if (this.#output.options.json) this.#output.complain(message)
    else this.#output.warn({ message })
  }

  #mentionLinks(): void {
    if (this.#aboutLinks !== undefined && !this.#output.options.json) this.#output.say(this.#aboutLinks)
    this.#aboutLinks = undefined
  }
}

/**
 * Returns a warning if the site's address is another one on this machine. A link in a message then leads to nothing, or to
 * something else.
 */
function aboutLinks(siteUrl: string, { address, port }: AddressInfo): string | undefined {
  const site = new URL(siteUrl)
  const isEverywhere = address === '0.0.0.0' || address === '::'
  const names = [...(isEverywhere ? [site.hostname] : [bracketed(address)]), ...(isLoopbackHost(address) ? ['localhost'] : [])]
  const isHere = names.includes(site.hostname) && Number(site.port || (site.protocol === 'https:' ? 443 : 80)) === port
  if (!isLoopbackHost(site.hostname) || isHere) return undefined
  const mend = isEverywhere ? `http://${site.hostname}:${port}` : urlOf(address, port)
  return `Links in mail lead to ${siteUrl} (site.url), not here. Write \`url: ${mend}\` under \`site:\` in cms.config.yaml.`
}
