import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Command } from 'commander'
import type { Problem } from '#core/document.ts'
import { isLoopbackHost } from '#lib/secure-address.ts'
import { MailWords } from '../checking/mail-words.ts'
import { passedOverNote } from '../checking/passed-over.ts'
import { type Act, type Answer, type Call, examples } from '../command.ts'
import { usage } from '../failure.ts'
import { firstSteps } from '../first-steps.ts'
import { isLocalServer, urlOf } from '../listening.ts'
import type { Quire } from '../open/site.ts'
import { serverLog } from '../server-log.ts'
import { opened } from '../site.ts'

interface Options {
  port?: string
  host?: string
  drafts?: boolean
}

/** Requests under way are let to end; the app's own time-outs are shorter. */
const PATIENCE = 15_000

export function define(command: Command, act: Act): void {
  command
    .option('--port <port>', 'port to listen on; 0 for any that is free (else PORT, else server.port)')
    .option('--host <host>', 'address to listen on (else HOST, else server.host)')
    .option('--drafts', 'with what is not published, on a server for this machine alone')
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
  let bound: AddressInfo | undefined
  do {
    const onProblem = (problem: Problem) => report(call, problem)
    const site = await opened(call, { watch: true, serving: true, mail, onProblem, drafts: options.drafts === true })
    try {
      const host = options.host ?? (call.env.HOST || site.config.server.host)
      if (options.drafts) mustBeLocal(site, host)
      bound = await listen(call, site, mail, { host, port: bound?.port ?? port ?? site.config.server.port }, bound)
    } finally {
      await site.close()
    }
  } while (bound)
  return undefined
}

/**
 * Holds the site, answers until interrupted, and gives it back. Resolves with the address where it is to go on with another
 * configuration; `before` is that of the server which it goes on from.
 */
async function listen(
  call: Call,
  site: Quire,
  mail: MailWords,
  address: { host: string; port: number },
  before: AddressInfo | undefined,
): Promise<AddressInfo | undefined> {
  const serving = site.serving()
  const claim = site.claim(urlOf(address.host, address.port))
  try {
    const { buildApp } = await import('../../app.ts')
    const isLocal = isLocalServer(site.config, address.host)
    const app = buildApp({ ...site, ...serving, version: call.version, isLocal, log: serverLog(call.output) })
    await app.listen(address)
    const bound = app.server.address() as AddressInfo
    const url = urlOf(bound.address, bound.port)
    claim.moved(url)
    if (!before) tellAddress(call, url)
    mail.listening(site.config, bound)
    await site.lives.begin()
    const renewed = new AbortController()
    const { watchConfig } = await import('../config-watch.ts')
    const unwatch = watchConfig(call, site, isLocal ? () => renewed.abort() : undefined)
    if (!before) await tellMore(call, site, bound, isLocal)
    const steps = await firstSteps(call, site, url, before === undefined)
    const ended = AbortSignal.any([call.signal, renewed.signal])
    if (!ended.aborted) await once(ended, 'abort')
    call.output.detail('Stopping: requests under way are answered first.')
    await app.close()
    await unwatch()
    if (call.signal.aborted) await steps.end()
    await site.lives.close()
    return call.signal.aborted ? undefined : bound
  } finally {
    claim.release()
  }
}

/** Throws where others could reach a server that shows drafts. */
function mustBeLocal(site: Quire, host: string): void {
  if (isLocalServer(site.config, host)) return
  const reason = site.config.server.trust_proxy === false ? `it listens on ${host}` : 'server.trust_proxy lets others in'
  const hint = 'Leave --drafts out: the preview of a record in the panel has a link that can be given to others.'
  throw usage(`--drafts is for a server that only this machine reaches, and ${reason}.`, hint)
}

function tellAddress(call: Call, url: string): void {
  if (call.output.options.json) call.output.document({ ok: true, data: { url, pid: process.pid } })
  else call.output.print(`Listening on ${url}`)
}

/** Tells on stderr what whoever started the server may want to know of it. */
async function tellMore(call: Call, site: Quire, bound: AddressInfo, isLocal: boolean): Promise<void> {
  const note = call.output.options.json ? undefined : await passedOverNote(site)
  if (note !== undefined) call.output.say(note)
  tellModules(call, site)
  if (!isLoopbackHost(bound.address)) call.output.say('Whoever reaches this machine can read the site; the API asks for a token.')
  await tellSetUp(call, site, urlOf(bound.address, bound.port), isLocal)
}

/** Tells which modules could not be loaded, and why. */
function tellModules(call: Call, { modules }: Quire): void {
  for (const { name, reason, hint } of modules.off)
    call.output.say(`The module ${name} is off: ${reason}${hint ? ` ${hint}` : ''}`)
}

/** Tells where the first owner makes their account: on this machine an address that works once, elsewhere the command. */
async function tellSetUp(call: Call, site: Quire, url: string, isLocal: boolean): Promise<void> {
  const { admin, auth } = site.config.features
  if (!admin || !auth) return
  const { hasOwner } = await import('#features/admin/signing-in/setup.ts')
  if (await hasOwner(site.features.users)) return
  if (isLocal) call.output.say(`Begin here (once, 15 minutes): ${url}/admin/setup/${await site.features.admin.setUp.begin()}`)
  else call.output.say('The panel has no owner yet: cms user:create --email <address> --role owner')
}

function report(call: Call, problem: Problem): void {
  if (!call.output.options.json) call.output.warn(problem)
}

function portOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  if (/^[0-9]{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw usage(`${name} is a number from 0 to 65535, not "${text}".`, 'For example: cms serve --port 3001; 0 takes any free port.')
}
