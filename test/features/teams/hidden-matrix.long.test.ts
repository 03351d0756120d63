import t from 'tap'
import type { Answered } from '#support/app.ts'
import type { PanelAnswer } from '#support/panel.ts'
import { NONE, OWNED, type TeamSite, teamSite } from '#support/team-site.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const WRITES = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/** Headers that differ between any two answers. */
const OWN_HEADERS = ['x-request-id', 'date', 'set-cookie']

interface Asked {
  readonly request: string
  readonly body?: unknown
}

/** An answer without what differs between any two; the type that was asked for is the same word. */
function told(answer: Answered | PanelAnswer, type: string): object {
  const headers = Object.entries(answer.headers).filter(([name]) => !OWN_HEADERS.includes(name))
  const text = 'html' in answer ? answer.html.replaceAll(/name="_csrf" value="[^"]+"/g, '') : answer.text
  return JSON.parse(JSON.stringify([answer.status, headers, text]).replaceAll(type, 'TYPE'))
}

/** Every request of the API with a type in its address, its query or its body. */
async function requests({ app }: TeamSite, type: string): Promise<Asked[]> {
  const { paths } = (await app.ask('GET /api/openapi.json', { as: 'read', types: ['posts'] })).body
  const [revision] = (await app.ask(`GET /api/cms/${OWNED}/one/revisions`)).body.data
  const urls = Object.keys(paths)
    .filter((path) => path.includes('{type}') || path === '/api/cms/types/{name}')
    .flatMap((path) => {
      const url = path.replace(/\{(?:type|name)\}/, type).replace('{ts}', revision.ts)
      return url.includes('{id}') ? ['one', 'zyxtwo', 'zyxgone', 'absent'].map((id) => url.replace('{id}', id)) : [url]
    })
  const queries = [
    '',
    '?x=1',
    '?at=2100-01-01T00:00:00Z',
    '?deleted=true',
    '?q=words',
    '?per_page=0',
    '?filter[code]=zyxcode',
    '?include=about',
    '?base=1',
  ]
  const bodies = [
    undefined,
    {},
    { title: 'X' },
    { title: 7, x: 1 },
    { ids: ['one'], delete: true },
    { ids: ['one'], set: { title: 'X' } },
    { id: 'two' },
    '{',
  ]
  const inUrl = urls.flatMap((url) =>
    METHODS.flatMap((method): Asked[] => {
      const asked = queries.map((query) => ({
        request: `${method} ${url}${query}`,
      }))
      return WRITES.has(method) ? bodies.map((body) => ({ request: `${method} ${url}`, body })) : asked
    }),
  )
  return [
    ...inUrl,
    { request: `GET /api/cms/search?q=words&type=${type}` },
    { request: `GET /api/changes?type=${type}` },
    { request: 'POST /api/tokens', body: { name: 'x', scopes: ['read'], types: [type] } },
    { request: 'POST /api/tokens', body: { name: 'x', scopes: [`content:read@${type}`] } },
    { request: 'PUT /api/menus/main', body: { items: [{ label: 'X', record: { type, id: 'one' } }] } },
    { request: 'POST /api/menus', body: { name: 'x', items: [{ label: 'X', record: { type, id: 'one' } }] } },
  ]
}

t.test('over HTTP a type of another team is one that never was', (t) =>
  teamSite(t, async (t, given) => {
    const { app, outsider, root } = given
    const make = async (scopes: string[], owner?: string) =>
      (await app.features.tokens.create({ name: `${scopes} ${owner}`, scopes, expires: 'never' }, undefined, owner)).token
    const tokens = [
      (await app.features.auth.sessions.begin(outsider, 'password')).token,
      ...[await make(['edit', 'menus:write', 'users:write']), await make(['edit'], root.id), await make(['read'])],
    ]
    const state = async () => {
      const kept = ['fields=id,version', 'deleted=true&fields=id,version'].map((query) =>
        app.ask(`GET /api/cms/${OWNED}?${query}`),
      )
      return (await Promise.all([...kept, app.ask('GET /api/menus')])).map(({ text }) => text).join()
    }
    await app.token()
    const before = await state()
    const [foreign, missing] = [await requests(given, OWNED), await requests(given, NONE)]
    for (const token of tokens)
      for (const keyed of [false, true])
        for (const [index, one] of foreign.entries()) {
          const other = missing[index] as Asked
          const ask = ({ request, body }: Asked, key: string) =>
            app.bare(request, {
              headers: { authorization: `Bearer ${token}`, ...(keyed && { 'idempotency-key': `${token.slice(0, 9)} ${key}` }) },
              ...(body !== undefined && { body }),
            })
          const name = `${one.request} ${JSON.stringify(one.body)}`
          const [answer, never] = [await ask(one, 'a'), await ask(other, 'b')]
          if (answer.status < 300 && !/^OPTIONS|\/changes/.test(one.request)) t.fail(`${name} is ${answer.status}`)
          t.strictSame(told(answer, OWNED), told(never, NONE), name)
        }
    t.equal(await state(), before)
  }),
)

/** The addresses of the panel with a type in them, and whether each takes a form. */
function addresses({ app }: TeamSite, revision: string): string[] {
  const path: string[] = []
  const found = new Set<string>()
  for (const line of app.app.printRoutes({ commonPrefix: false }).split('\n')) {
    const [, indent = '', part = ''] = /^([│├└─ ]*)(\S+)/.exec(line) ?? []
    path.splice(indent.length / 4 - 1, path.length, part)
    found.add(path.join(''))
  }
  const all = [...found].filter((url) => url.startsWith('/admin/') && url.includes(':type'))
  return all.flatMap((url) =>
    ['one', 'absent'].map((id) => url.replace(':ts', revision).replace(':id', id).replace(':action', 'publish')),
  )
}

t.test('in the panel, too', (t) =>
  teamSite(t, async (t, given) => {
    const { app, outsider, browser } = given
    const [revision] = (await app.ask(`GET /api/cms/${OWNED}/one/revisions`)).body.data
    const urls = [...new Set(addresses(given, revision.ts))]
    t.ok(urls.length > 15, `${urls.length} addresses`)
    await browser.get('/admin/account')
    await browser.post('/admin/logout')
    await browser.signIn(outsider.email)
    const forms = [
      {},
      { title: 'X', base: revision.ts },
      { _method: 'PUT', title: 'X', base: '1' },
      { _method: 'DELETE' },
      { 'ids[]': 'one', _method: 'PUT', action: 'delete' },
    ]
    const compare = async (name: string, ask: (type: string) => Promise<PanelAnswer>) => {
      const [answer, never] = [await ask(OWNED), await ask(NONE)]
      if (answer.status < 400) t.fail(`${name} is ${answer.status}`)
      t.strictSame(told(answer, OWNED), told(never, NONE), name)
    }
    for (const url of urls) {
      const at = (type: string) => url.replace(':type', type)
      for (const method of ['GET', 'HEAD']) await compare(`${method} ${url}`, (type) => browser.ask(method, at(type)))
      for (const form of forms)
        await compare(`${url} ${JSON.stringify(form)}`, async (type) => {
          await browser.get('/admin/account')
          return browser.post(at(type), form)
        })
    }
  }),
)
