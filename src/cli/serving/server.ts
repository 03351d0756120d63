import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Hold } from '#core/backend.ts'
import { asSentence } from '#features/modules/module-log.ts'
import type { MailWords } from '../checking/mail-words.ts'
import type { Call } from '../command.ts'
import { watchConfig } from '../config-watch.ts'
import { reportOf } from '../failure.ts'
import { firstSteps } from '../first-steps.ts'
import { urlOf } from '../listening.ts'
import type { Quire } from '../open/site.ts'
import { Front, type Served } from './front.ts'
import { guardAgainstModules } from './stray-rejections.ts'

/** A site that is open, with the app that answers for it. */
export interface ServedSite {
  readonly site: Quire
  readonly app: Served
  /** True where only the machine itself can reach the server. */
  readonly isLocal: boolean
  /** Aborted where the server is to go on with the site as it is now. */
  readonly renewal: AbortController
}

/** The server that is to run. */
export interface RunDeps {
  readonly call: Call
  readonly mail: MailWords
  readonly address: { readonly host: string; readonly port: number }
  readonly tell: {
    readonly address: (url: string) => void
    readonly more: (to: ServedSite, bound: AddressInfo) => Promise<void>
  }
  /** Opens the site anew. */
  readonly again: () => Promise<ServedSite>
}

/**
 * Answers until interrupted, and closes the site. Where it is to go on with the site as it is now (SIGHUP, another configuration of a
 * local server, the panel), the new one is opened beside the old one, and takes over without a request that is refused.
 */
export async function run(deps: RunDeps, first: ServedSite): Promise<void> {
  const { call, address, tell, mail } = deps
  let current = first
  let claim: Hold | undefined
  const hangup = { isHeard: false }
  call.onHangup(() => {
    hangup.isHeard = true
    current.renewal.abort()
  })
  try {
    claim = current.site.claim(urlOf(address.host, address.port))
    const front = await Front.listen(current.app, address)
    const bound = front.address
    const url = urlOf(bound.address, bound.port)
    claim.moved(url)
    tell.address(url)
    mail.listening(current.site.config, bound)
    const unguard = guardAgainstModules(call, () => current.site)
    await current.site.lives.begin()
    await tell.more(current, bound)
    tellModules(call, current.site)
    for (let isFirst = true; ; isFirst = false) {
      const steps = await firstSteps(call, current.site, url, isFirst)
      await untilOver(call, current)
      hangup.isHeard = false
      if (call.signal.aborted) {
        call.output.detail('Stopping: requests under way are answered first.')
        await front.close()
        await steps.end()
        break
      }
      const next = await opened(deps)
      if (!next) {
        current = { ...current, renewal: new AbortController() }
        if (hangup.isHeard) current.renewal.abort()
        continue
      }
      claim = moved(claim, current.site, next.site, url)
      await takeOver(front, current, next)
      current = next
      mail.listening(current.site.config, bound)
      tellModules(call, current.site)
      call.output.say('The server goes on with the site as it is now.')
      // One that came meanwhile is about what came after.
      if (hangup.isHeard) current.renewal.abort()
    }
    unguard()
  } finally {
    await current.site.lives.close().finally(() => current.site.close())
    claim?.release()
  }
}

/** Resolves where the command is interrupted, or the site is to be opened anew. */
async function untilOver(call: Call, { site, isLocal, renewal }: ServedSite): Promise<void> {
  const renew = () => renewal.abort()
  const unwatch = watchConfig(call, site, isLocal ? renew : undefined)
  const ended = AbortSignal.any([call.signal, renewal.signal])
  if (!ended.aborted) await once(ended, 'abort')
  await unwatch()
}

/** A site that can't be opened as it is now leaves the server with the one it has. */
async function opened({ call, again }: RunDeps): Promise<ServedSite | undefined> {
  try {
    return await again()
  } catch (error) {
    const { message, hint } = reportOf(error)
    call.output.complain(`The server goes on with the site as it was: ${message}${hint ? ` ${hint}` : ''}`)
    return undefined
  }
}

/** Ends all that the old site does by itself before the new one begins: nothing is done twice. */
async function takeOver(front: Front, old: ServedSite, next: ServedSite): Promise<void> {
  front.serve(next.app)
  await front.retire(old.app)
  await old.site.lives.close()
  await next.site.lives.begin()
  await old.site.close()
}

/** The claim on a site stays, unless the new configuration keeps it elsewhere. */
function moved(claim: Hold, old: Quire, next: Quire, url: string): Hold {
  const isSame = old.privateDir === next.privateDir && old.place === next.place
  if (isSame) return claim
  const other = next.claim(url)
  claim.release()
  return other
}

/** Tells which modules could not be loaded, and why. */
function tellModules(call: Call, { modules }: Quire): void {
  for (const { name, reason, hint } of modules.off)
    call.output.say(`The module ${name} is off: ${asSentence(reason)}${hint ? ` ${hint}` : ''}`)
}
