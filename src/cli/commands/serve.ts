import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Command } from 'commander'
import type { Problem } from '../../core/document.ts'
import type { Letter } from '../../core/mail.ts'
import { type Act, type Answer, type Call, examples } from '../command.ts'
import { usage } from '../failure.ts'
import { firstSteps } from '../first-steps.ts'
import type { Quire } from '../open/site.ts'
import type { Output } from '../output.ts'
import { opened } from '../site.ts'

interface Options {
  port?: string
  host?: string
}

/** Requests under way are let to end; the app's own time-outs are shorter. */
const PATIENCE = 15_000

export function define(command: Command, act: Act): void {
  command
    .option('--port <port>', 'port to listen on; 0 for any that is free (else PORT, else server.port)')
    .option('--host <host>', 'address to listen on (else HOST, else server.host)')
    .addHelpText('after', examples('cms serve', 'cms serve -C my-site --port 0 --json'))
    .addHelpText(
      'after',
      '\nPrints its address on stdout when it can answer. Ctrl-C or SIGTERM ends it when requests under way are answered.',
    )
    .action(act((call, options: Options) => serve(call, options)))
}

async function serve(call: Call, options: Options): Promise<Answer | undefined> {
  const port = portOf('--port', options.port) ?? portOf('PORT', call.env.PORT)
  call.patience(PATIENCE)
  const mail = new MailWords(call)
  const site = await opened(call, { watch: true, serving: true, mail, onProblem: (problem) => report(call, problem) })
  try {
    const host = options.host ?? (call.env.HOST || site.config.server.host)
    mail.isShown = isOnlyLocal(site, host)
    await listen(call, site, { host, port: port ?? site.config.server.port })
  } finally {
    await site.close()
  }
  return undefined
}

/** Holds the site, answers until interrupted, and gives it back. */
async function listen(call: Call, site: Quire, address: { host: string; port: number }): Promise<void> {
  const claim = site.claim(urlOf(address.host, address.port))
  try {
    const { buildApp } = await import('../../app.ts')
    const signing = site.config.features.auth ? await site.signing() : undefined
    const app = buildApp({ ...site, auth: signing?.auth, version: call.version, isLocal: isOnlyLocal(site, address.host) })
    await app.listen(address)
    const bound = app.server.address() as AddressInfo
    const url = urlOf(bound.address, bound.port)
    claim.moved(url)
    if (call.output.options.json) call.output.document({ ok: true, data: { url, pid: process.pid } })
    else call.output.print(`Listening on ${url}`)
    if (site.config.features.search) site.search.begin()
    const rest = signing?.mail.outbox.run()
    if (!isLoopback(bound.address)) call.output.say('Whoever reaches this machine can read the site; the API asks for a token.')
    mentionLinks(call, site, bound)
    const { watchConfig } = await import('../config-watch.ts')
    const unwatch = watchConfig(call, site.loaded)
    const steps = await firstSteps(call, site, url)
    if (!call.signal.aborted) await once(call.signal, 'abort')
    call.output.detail('Stopping: requests under way are answered first.')
    await app.close()
    await rest?.()
    await unwatch()
    await steps.end()
  } finally {
    claim.release()
  }
}

/** What a server says of mail: its troubles, and what letters are for where nobody but the person at the terminal can read that. */
class MailWords {
  /** Whether only this machine can reach the server. */
  isShown = false
  readonly #output: Output

  constructor({ output }: Call) {
    this.#output = output
  }

  readonly onShown = ({ to }: Letter, shown: string): void => {
    // What is not a terminal may be a log, where no code belongs.
    if (this.isShown && this.#output.terminal && !this.#output.options.json) this.#output.say(`For ${to}: ${shown}`)
  }

  readonly log = (message: string): void => {
    if (this.#output.options.json) this.#output.complain(message)
    else this.#output.warn({ message })
  }
}

function report(call: Call, problem: Problem): void {
  if (!call.output.options.json) call.output.warn(problem)
}

/** Where the site's address is another on this machine, whoever opens a link of a letter finds nothing there, or something else. */
function mentionLinks({ output }: Call, { config }: Quire, { address, port }: AddressInfo): void {
  const site = new URL(config.site.url)
  const isEverywhere = address === '0.0.0.0' || address === '::'
  const names = [...(isEverywhere ? [site.hostname] : [bracketed(address)]), ...(isLoopback(address) ? ['localhost'] : [])]
  const isHere = names.includes(site.hostname) && Number(site.port || (site.protocol === 'https:' ? 443 : 80)) === port
  if (!config.features.auth || output.options.json || !isThisMachine(site.hostname) || isHere) return
  const mend = isEverywhere ? `http://${site.hostname}:${port}` : urlOf(address, port)
  output.say(
    `Links in mail lead to ${config.site.url} (site.url), not here. Write \`url: ${mend}\` under \`site:\` in cms.config.yaml.`,
  )
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

function isThisMachine(host: string): boolean {
  return host === 'localhost' || isLoopback(host.replace(/^\[|\]$/g, ''))
}

function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.')
}

/** Whether only this machine can reach the server: with a proxy before it, or a public address, others can as well. */
function isOnlyLocal({ config }: Quire, host: string): boolean {
  const names = [host, new URL(config.site.url).hostname]
  return config.server.trust_proxy === false && names.every(isThisMachine)
}

function urlOf(host: string, port: number): string {
  return `http://${bracketed(host)}:${port}`
}

function portOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  if (/^[0-9]{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw usage(`${name} is a number from 0 to 65535, not "${text}".`, 'For example: cms serve --port 3001; 0 takes any free port.')
}
