import t, { type Test } from 'tap'
import type { User } from '#features/users/user.ts'
import type { Answered } from '#support/app.ts'
import { isLong } from '#support/long.ts'
import { readsOf } from '#support/own-reads.ts'
import { PANEL_FEATURES, type PanelAnswer, type PanelBrowser, type PanelGiven, panelOf } from '#support/panel.ts'

const BY = { name: 'Tester', email: 'tester@example.org' }
const MISSING = 'nobodysteam00000'
const CONFIG = { features: { ...PANEL_FEATURES, teams: true } }

/** Headers that differ between any two answers. */
const OWN_HEADERS = ['x-request-id', 'date']

interface Given extends PanelGiven {
  /** Ids of two teams, each with an owner and a member. */
  readonly teams: readonly [a: string, b: string]
  /** An owner and a member of the first, and an owner of the second. */
  readonly people: readonly [owner: User, member: User, foreign: User]
}

function each(name: string, body: (t: Test, given: Given) => Promise<void>): void {
  t.test(name, (t) =>
    panelOf(
      t,
      {},
      async (t, given) => {
        const { app } = given
        const root = await app.features.users.create({ email: 'root@example.org', name: 'Root', role: 'admin' }, BY)
        const make = async (slug: string): Promise<[string, User, User]> => {
          const { id } = (await app.askAs(root, 'POST /api/teams', { body: { name: slug, slug } })).body.data
          const join = async (role: string) => {
            const input = { email: `${slug}-${role}@example.org`, name: `${slug} ${role}`, role: 'editor' }
            const user = await app.features.users.create(input, BY)
            await app.askAs(root, `POST /api/teams/${id}/members`, { body: { user: user.id, role } })
            return user
          }
          return [id, await join('owner'), await join('member')]
        }
        const [[a, owner, member], [b, foreign]] = [await make('alpha'), await make('beta')]
        await body(t, { ...given, teams: [a, b], people: [owner, member, foreign] })
      },
      { config: CONFIG },
    ),
  )
}

/** Requests with the id of a team: all methods, with bodies that would be taken; in the long form with others. */
function requests(id: string, user: string): { request: string; body?: unknown }[] {
  const one = `/api/teams/${id}`
  const taken: readonly unknown[] = [{ name: 'X' }, { role: 'owner' }, { user }]
  const bodies = isLong ? [...taken, undefined, {}, { email: 'x@example.org' }, '{'] : taken
  const urls = [one, `${one}/members`, `${one}/members/${user}`, ...(isLong ? [`${one}/other`, `${one}?x=1`] : [])]
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
  const bare = urls.flatMap((url) => methods.map((method) => ({ request: `${method} ${url}` })))
  const written = urls.flatMap((url) =>
    ['POST', 'PUT', 'PATCH', 'DELETE'].flatMap((method) => bodies.map((body) => ({ request: `${method} ${url}`, body }))),
  )
  return [...bare, ...written]
}

/** An answer without what differs between any two; the id that was asked for is the same word. */
function told(answer: Answered | PanelAnswer, id: string): object {
  const headers = Object.entries(answer.headers).filter(([name]) => !OWN_HEADERS.includes(name))
  const text = 'html' in answer ? answer.html : answer.text
  return JSON.parse(JSON.stringify([answer.status, headers, text]).replaceAll(id, 'ID'))
}

each(
  'over HTTP a team of others is one that never was',
  async (t, { app, opened, teams: [, b], people: [owner, member, foreign] }) => {
    const take = readsOf(opened.store)
    const before = JSON.stringify((await app.ask(`GET /api/teams/${b}`)).body)
    for (const caller of isLong ? [owner, member] : [owner]) {
      const { token } = await app.features.auth.sessions.begin(caller, 'password')
      const headers = { authorization: `Bearer ${token}` }
      const ask = ({ request, body }: { request: string; body?: unknown }) =>
        app.bare(request, { headers, ...(body !== undefined && { body }) })
      for (const user of isLong ? [foreign.id, caller.id] : [foreign.id]) {
        const missing = requests(MISSING, user)
        for (const [index, one] of requests(b, user).entries()) {
          take()
          const answer = await ask(one)
          const reads = take()
          const name = `${one.request} ${JSON.stringify(one.body)}`
          if (answer.status < 300 && !one.request.startsWith('OPTIONS')) t.fail(`${name} is ${answer.status}`)
          t.strictSame(told(answer, b), told(await ask(missing[index] as typeof one), MISSING), name)
          t.strictSame(reads, take(), `${name} looks at the same`)
        }
      }
      t.notMatch((await ask({ request: 'GET /api/teams' })).text, 'beta')
    }
    t.equal(JSON.stringify((await app.ask(`GET /api/teams/${b}`)).body), before)
  },
)

each('in the panel, too', async (t, { app, as, teams: [, b], people: [owner, member, foreign] }) => {
  const { browser } = await as('author')
  const pages = (id: string) => [
    `/admin/teams/${id}`,
    ...['edit', 'delete', 'api', 'file', 'revisions', 'members'].map((page) => `/admin/teams/${id}/${page}`),
  ]
  const forms = (id: string): [string, Record<string, string>][] => [
    [`/admin/teams/${id}`, { _method: 'PUT', name: 'X', slug: 'x' }],
    [`/admin/teams/${id}`, { _method: 'DELETE' }],
    [`/admin/teams/${id}`, {}],
    [`/admin/teams/${id}/members`, { email: 'x@example.org', role: 'owner' }],
    [`/admin/teams/${id}/members`, { email: '', role: 'none' }],
    [`/admin/teams/${id}/members/${foreign.id}`, { _method: 'PUT', role: 'member' }],
    [`/admin/teams/${id}/members/${foreign.id}`, { _method: 'DELETE' }],
    [`/admin/teams/${id}/members/${owner.id}`, { _method: 'DELETE' }],
    [`/admin/teams/${id}/disable`, {}],
  ]
  const compare = async (name: string, ask: (id: string) => Promise<PanelAnswer>) => {
    const [answer, other] = [await ask(b), await ask(MISSING)]
    t.ok(answer.status >= 400, `${name} is ${answer.status}`)
    t.strictSame(told(answer, b), told(other, MISSING), name)
  }
  const walk = async (who: PanelBrowser) => {
    for (const [index, page] of pages('{id}').entries()) await compare(page, (id) => who.get(pages(id)[index] ?? ''))
    for (const [index, [url, form]] of forms('{id}').entries())
      await compare(`${url} ${JSON.stringify(form)}`, async (id) => {
        await who.get('/admin/account')
        return who.post(forms(id)[index]?.[0] ?? '', form)
      })
  }
  if (isLong) await walk(browser)
  for (const user of isLong ? [owner, member] : [owner]) {
    await browser.get('/admin/account')
    await browser.post('/admin/logout')
    await browser.signIn(user.email)
    await walk(browser)
    const list = await browser.get('/admin/teams')
    t.match(list.html, 'alpha')
    t.notMatch(list.html, 'beta')
  }
  t.match((await app.ask(`GET /api/teams/${b}`)).body.data, { name: 'beta', members: { length: 3 } })
})
