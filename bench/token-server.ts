import type { AddressInfo } from 'node:net'

/**
 * One site behind two apps in one process: as it is, and with a door that is open, which knows everyone without looking. Prints
 * their addresses, an API token, an access token, and some access tokens that were never used: `node
 * .tap/plain/bench/token-server.js <site> <fresh tokens>`. In the place of the store it may be given a DATABASE_URL by the site's
 * configuration.
 */
const [, , root = '.', fresh = '0'] = process.argv
const [{ openSite }, { buildApp }, { localAccess }] = await Promise.all([
  import('#cli/open/site.ts'),
  import('../src/app.ts'),
  import('#core/access/access.ts'),
])
const site = await openSite({ directory: root, watch: true, serving: true })
const { auth, records, tokens, users } = site.features
const by = { name: 'Bench', email: 'bench@example.org' }
const everyone = localAccess(by)
const open = { known: () => everyone, verify: async () => everyone }

async function listening(parts: object): Promise<string> {
  const app = buildApp({ ...site, ...site.serving(), version: '0', ...parts })
  await app.listen({ port: 0, host: '127.0.0.1' })
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
}

// A database begins with nothing.
const { total } = await site.store.heads('posts', { limit: 0 })
for (let n = total; n < 30; n++) await records.create(everyone, 'posts', { title: `Post ${n}`, status: 'published' })

const { token } = await tokens.create({ name: `bench-${process.pid}`, scopes: ['admin'] })
const user = await users.create({ email: `bench-${process.pid}@example.org`, role: 'admin' }, by)
const signedIn = async () => (await auth.sessions.begin(user, 'password')).token
const never: string[] = []
for (let n = 0; n < Number(fresh); n++) never.push(await signedIn())
const said = {
  closed: await listening({}),
  open: await listening({ bearers: open }),
  token,
  jwt: await signedIn(),
  never,
}
process.stdout.write(`${JSON.stringify(said)}\n`)
