import type { AddressInfo } from 'node:net'
import type { Command } from 'commander'
import type { Problem } from '#core/document.ts'
import { isLoopbackHost } from '#lib/secure-address.ts'
import { MailWords } from '../checking/mail-words.ts'
import { passedOverNote } from '../checking/passed-over.ts'
import { type Act, type Answer, type Call, examples } from '../command.ts'
import { usage } from '../failure.ts'
import { isLocalServer, urlOf } from '../listening.ts'
import type { Quire } from '../open/site.ts'
import { serverLog, syncWords } from '../server-log.ts'
import type { ServedSite } from '../serving/server.ts'
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
  const onProblem = (problem: Problem) => report(call, problem)
  const open = () =>
    opened(call, { watch: true, serving: true, mail, onProblem, onSync: syncWords(call.output), drafts: options.drafts === true })
  const site = await open()
  const host = options.host ?? (call.env.HOST || site.config.server.host)
  const made = await served(call, site, host, options)
  const { run } = await import('../serving/server.ts')
  const again = async () => served(call, await open(), host, options)
  const tell = {
    address: (url: string) => tellAddress(call, url),
    more: ({ site, isLocal }: ServedSite, bound: AddressInfo) => tellMore(call, site, bound, isLocal),
  }
  await run({ call, mail, tell, again, address: { host, port: port ?? site.config.server.port } }, made)
  return undefined
}

/** Makes the app of a site that is open. A site that can't be served is closed again. */
async function served(call: Call, site: Quire, host: string, options: Options): Promise<ServedSite> {
  try {
    if (options.drafts) mustBeLocal(site, host)
    const isLocal = isLocalServer(site.config, host)
    const renewal = new AbortController()
    const { buildApp } = await import('../../app.ts')
    const renew = () => renewal.abort()
    const app = buildApp({ ...site, ...site.serving(), version: call.version, isLocal, log: serverLog(call.output), renew })
    await app.ready()
    return { site, app, isLocal, renewal }
  } catch (error) {
    await site.close()
    throw error
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
  if (!isLoopbackHost(bound.address)) call.output.say('Whoever reaches this machine can read the site; the API asks for a token.')
  await tellSetUp(call, site, urlOf(bound.address, bound.port), isLocal)
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
