import { NotFound } from '#lib/errors.ts'
import type { Call } from './command.ts'
import { invocation } from './invocation.ts'
import type { Quire } from './open/site.ts'

const NAME = 'first-steps'
const LIFE = 24 * 60 * 60 * 1000

/**
 * On a terminal, what to try next: the addresses, and a request that can be copied as it is, with a token to read that was made
 * for the occasion and ends with the server. Nothing elsewhere: where a program listens, no token is made that nobody asked for.
 * They are said when a server begins, not where `isFirst` is false: where it goes on with another configuration.
 */
export async function firstSteps(call: Call, site: Quire, url: string, isFirst: boolean): Promise<{ end(): Promise<void> }> {
  const { output } = call
  if (!call.interactive || output.options.quiet || process.stdout.isTTY !== true) return { end: async () => undefined }
  if (!isFirst) return { end: () => revoke(site) }
  const { api, site: pages, admin, auth } = site.config.features
  output.say('')
  if (pages) output.say(`  Site      ${output.paint('cyan', `${url}/`)}`)
  if (admin && auth) output.say(`  Panel     ${output.paint('cyan', `${url}/admin`)}`)
  const type = await largestType(site)
  if (api) await showRequest(call, site, url, type)
  output.say(`  Content   ${site.place}`)
  const cms = invocation()
  const hint = site.isInFiles ? 'Change a file and reload. ' : ''
  output.say(`\n${hint}Next: \`${cms} new ${type ?? 'posts'} "My first post"\`, \`${cms} --help\`. Ctrl-C ends the server.\n`)
  return { end: () => revoke(site) }
}

async function showRequest(call: Call, site: Quire, url: string, type: string | undefined): Promise<void> {
  await revoke(site)
  const { token } = await site.features.tokens.create({ name: NAME, scopes: ['read'], expires: LIFE })
  const path = type ? `/api/cms/${type}` : '/api/cms/types'
  call.output.say(`  API       ${call.output.paint('cyan', `${url}${path}`)}`)
  call.output.say('\nTry (the token reads what is live, and ends with this server):\n')
  call.output.say(`  curl -H "Authorization: Bearer ${token}" "${url}${path}"\n`)
}

/** Types that people write last: nobody starts with a page or an author. */
const LAST: readonly string[] = ['pages', 'authors']

/** The type to show first: the one with the most records, rather one with posts than the pages or the authors. */
async function largestType(site: Quire): Promise<string | undefined> {
  const kinds = (await site.store.kinds()).filter((kind) => site.types.get(kind))
  const sizes = await Promise.all(
    kinds.map(async (kind) => ({ kind, total: (await site.store.heads(kind, { limit: 0 })).total })),
  )
  return sizes.sort((a, b) => LAST.indexOf(a.kind) - LAST.indexOf(b.kind) || b.total - a.total)[0]?.kind
}

async function revoke(site: Quire): Promise<void> {
  try {
    await site.features.tokens.revoke(NAME)
  } catch (error) {
    if (!(error instanceof NotFound)) throw error
  }
}
