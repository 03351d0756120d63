import { get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { keyOf } from '#core/key.ts'
import type { Answered } from '#support/app.ts'
import { MARK, OWNED, type TeamSite, teamSite } from '#support/team-site.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test's assertions are its types
type Any = any
type Ask = (url: string) => Promise<Answered>

/** Addresses that no list leads to: what stands for their parameters. */
const SAID: Readonly<Record<string, readonly string[]>> = {
  '/api/auth/{provider}': [],
  '/api/cms/{type}': ['posts', 'authors'],
  '/api/cms/taxonomy/{kind}': ['tags', 'categories'],
}

/** Questions that are asked of each address that takes them. */
const QUERIES: Readonly<Record<string, readonly string[]>> = {
  per_page: ['100'],
  q: ['zyxwords', 'words'],
  include: ['note', 'author'],
  facets: ['tags,status'],
  at: ['2100-01-01T00:00:00Z'],
  deleted: ['true'],
  since: ['2000-01-01T00:00:00Z'],
  unused: ['true', 'false'],
  tag: ['zyxterm', 'news'],
}

/** Returns the addresses that a path stands for: its parameters are taken from the list above each. */
async function resolved(ask: Ask, path: string): Promise<string[]> {
  const at = path.indexOf('{')
  if (at < 0) return [path]
  const end = path.indexOf('}', at)
  const said = SAID[path.slice(0, end + 1)]
  const rest = path.slice(end + 1)
  const names = said ?? (await listed(ask, path.slice(0, at - 1), path.slice(at + 1, end)))
  return (await Promise.all(names.map((name) => resolved(ask, `${path.slice(0, at)}${encodeURIComponent(name)}${rest}`)))).flat()
}

async function listed(ask: Ask, url: string, name: string): Promise<string[]> {
  const { data } = (await ask(url)).body ?? {}
  const items: Any[] = Array.isArray(data) ? data : (Object.values(data ?? {}).find(Array.isArray) ?? [])
  const ids = items.slice(0, 3).map((item) => item[name] ?? item.id ?? item.name ?? item.key ?? item.user)
  return [...new Set(ids.filter((id) => typeof id === 'string'))]
}

/** Asks all that the API describes with GET, and tells what was asked and answered. */
async function swept(ask: Ask, visit: (url: string, answer: Answered) => void): Promise<{ paths: number; unmet: string[] }> {
  const { paths } = (await ask('/api/openapi.json')).body
  const unmet: string[] = []
  let met = 0
  for (const [path, { get }] of Object.entries<Any>(paths)) {
    // A stream has no end.
    if (!get || path === '/api/events') continue
    const urls = await resolved(ask, path)
    if (urls.length === 0) unmet.push(path)
    const names = new Set<string>((get.parameters ?? []).map((one: Any) => one.name))
    const queries = Object.entries(QUERIES).flatMap(([name, values]) =>
      names.has(name) ? values.map((value) => `?${name}=${value}`) : [],
    )
    for (const url of urls)
      for (const query of ['', ...queries]) {
        const answer = await ask(url + query)
        visit(url + query, answer)
        met++
      }
  }
  return { paths: met, unmet }
}

/** Ways in which somebody outside the team asks. */
async function outsiders({ app, outsider, root }: TeamSite): Promise<Record<string, Ask>> {
  const asker =
    (token: string): Ask =>
    (url) =>
      app.bare(`GET ${url}`, { headers: { authorization: `Bearer ${token}` } })
  const make = async (scopes: string[], owner?: string) =>
    (await app.features.tokens.create({ name: scopes.join() + owner, scopes, expires: 'never' }, undefined, owner)).token
  return {
    'an editor': asker((await app.features.auth.sessions.begin(outsider, 'password')).token),
    'the token of one': asker(await make(['edit'], outsider.id)),
    'a token of nobody': asker(await make(['edit', 'users:read', 'settings:write', 'menus:write', 'audit:read'])),
    'the token of an admin, without teams:write': asker(await make(['edit'], root.id)),
    'who is not known': (url) => app.bare(`GET ${url}`),
  }
}

t.test('no answer to GET has a word of a type of another team', (t) =>
  teamSite(t, async (t, given) => {
    const asked = await outsiders(given)
    for (const [who, ask] of Object.entries(asked)) {
      const found: string[] = []
      const { paths, unmet } = await swept(ask, (url, { text, headers, status }) => {
        if (status >= 500) found.push(`${url} is ${status}`)
        if (MARK.test(text) || MARK.test(JSON.stringify(headers))) found.push(`${url}: ${/.{0,60}zyx.{0,40}/i.exec(text)?.[0]}`)
      })
      t.strictSame(found, [], who)
      if (who === 'who is not known') continue
      t.ok(paths > 60, `${who}: ${paths}`)
      t.strictSame(
        unmet.filter((path) => !/\/(?:tokens|settings|users|auth|teams)\//.test(path)),
        [],
        who,
      )
    }
    const { token } = await given.app.features.auth.sessions.begin(given.member, 'password')
    const seen: string[] = []
    await swept(
      (url) => given.app.bare(`GET ${url}`, { headers: { authorization: `Bearer ${token}` } }),
      (url, { text }) => {
        if (MARK.test(text)) seen.push(url)
      },
    )
    for (const url of [
      '/api/openapi.json',
      '/api/cms/types',
      '/api/changes',
      '/api/cms/search?q=zyxwords',
      '/api/cms/posts?include=note',
      '/api/cms/taxonomy/tags',
      '/api/media',
      '/api/menus/main',
      `/api/cms/${OWNED}/one`,
    ])
      t.ok(seen.includes(url), `a member finds it at ${url}`)
  }),
)

t.test('nor has a page of the panel that a link leads to', (t) =>
  teamSite(t, async (t, { browser, outsider, member }) => {
    const crawled = async (email: string) => {
      await browser.get('/admin/account')
      await browser.post('/admin/logout')
      await browser.signIn(email)
      const [waiting, seen] = [
        ['/admin', '/admin/search?q=zyxwords', '/admin/search?q=words', '/admin/problems'],
        new Set<string>(),
      ]
      const marked: string[] = []
      for (let url = waiting.pop(); url !== undefined && seen.size < 120; url = waiting.pop()) {
        if (seen.has(url)) continue
        seen.add(url)
        const { html, status } = await browser.get(url)
        t.ok(status < 500, url)
        // What was searched for is on the page of the search.
        const shown = html.replaceAll(/(?:value="|q=|“)zyxwords/g, '')
        if (MARK.test(shown)) marked.push(`${url}: ${/.{0,60}zyx.{0,40}/i.exec(shown)?.[0]}`)
        for (const [, link = ''] of html.matchAll(/href="(\/admin[^"#]*)"/g))
          if (!/assets|logout/.test(link)) waiting.push(link.replaceAll('&amp;', '&'))
      }
      return { marked, pages: seen.size }
    }
    const out = await crawled(outsider.email)
    t.strictSame(out.marked, [])
    t.ok(out.pages > 20, `${out.pages} pages`)
    t.not((await crawled(member.email)).marked.length, 0)
  }),
)

t.test('who is taken out of a team sees nothing of its types from then on', (t) =>
  teamSite(t, async (t, { app, opened, ada, teams: [, owning], outsider, member }) => {
    const tokenOf = async () => ({
      session: (await app.features.auth.sessions.begin(member, 'password')).token,
      token: (await app.features.tokens.create({ name: 'mine', scopes: ['edit'], expires: 'never' }, undefined, member.id)).token,
    })
    const secrets = Object.entries(await tokenOf())
    const asked = (secret: string, request: string, more: object = {}, headers = {}) =>
      app.bare(request, { headers: { authorization: `Bearer ${secret}`, ...headers }, ...more })
    const made = { title: 'Kept', status: 'draft' }
    for (const [name, secret] of secrets) {
      t.equal((await asked(secret, `GET /api/cms/${OWNED}/one`)).status, 200, name)
      t.equal((await asked(secret, `GET /api/cms/${OWNED}/one?at=2100-01-01T00:00:00Z`)).status, 200, name)
      t.equal(
        (await asked(secret, `POST /api/cms/${OWNED}`, { body: { ...made, slug: name } }, { 'idempotency-key': name })).status,
        201,
        name,
      )
      t.match((await asked(secret, 'GET /api/cms/posts/hello?include=note')).body.data.note, { title: 'Zyxone again' })
    }
    const before = (await asked(secrets[0]?.[1] ?? '', 'GET /api/cms/posts/hello?include=note')).headers.etag ?? ''
    t.equal((await app.askAs(ada, `DELETE /api/teams/${owning}/members/${member.id}`)).status, 200)
    for (const [name, secret] of secrets) {
      t.equal((await asked(secret, `GET /api/cms/${OWNED}/one`)).status, 404, name)
      t.equal((await asked(secret, `GET /api/cms/${OWNED}/one?at=2100-01-01T00:00:00Z`)).status, 404, name)
      const again = await asked(secret, `POST /api/cms/${OWNED}`, { body: { ...made, slug: name } }, { 'idempotency-key': name })
      t.match([again.status, again.text], [404, /There is no content type/], name)
      const included = await asked(secret, 'GET /api/cms/posts/hello?include=note', {}, { 'if-none-match': before })
      t.match([included.status, included.body?.data.note], [200, 'one'], name)
      t.notMatch((await asked(secret, 'GET /api/cms/search?q=zyxwords')).text, MARK)
    }
    t.equal((await app.askAs(outsider, `GET /api/cms/${OWNED}/one`)).status, 404)
    t.equal((await app.askAs(ada, `POST /api/teams/${owning}/members`, { body: { user: member.id } })).status, 201)
    for (const [name, secret] of secrets) t.equal((await asked(secret, `GET /api/cms/${OWNED}/one`)).status, 200, name)
    t.equal((await app.bare(`GET /${OWNED}/one`)).status, 200, 'its live pages are public')
    t.ok(opened)
  }),
)

t.test('a rule asks a hidden type nothing, and names it to nobody outside', (t) =>
  teamSite(t, async (t, { app, outsider, member }) => {
    const answers = async (title: string, fields: object) => {
      const { status, text } = await app.askAs(outsider, 'POST /api/cms/posts', { body: { title, status: 'draft', ...fields } })
      return [
        status,
        text
          .replaceAll(title.toLowerCase(), 'X')
          .replaceAll(title, 'X')
          .replaceAll(/"(?:version|created_at|updated_at)":"[^"]+"/g, ''),
      ]
    }
    t.match(await answers('One', { code: 'zyxcode' }), [201])
    for (const field of [
      (id: string) => ({ note: id }),
      (id: string) => ({ more: { note: id } }),
      (id: string) => ({ more: { code: id } }),
    ]) {
      const there = await answers('Two', field('one'))
      t.match(there, [422])
      t.strictSame(there, await answers('Two', field('xyz')))
      t.notMatch(there[1], MARK)
    }
    const taken = await app.askAs(member, 'POST /api/cms/posts', { body: { title: 'Three', status: 'draft', code: 'zyxcode' } })
    t.match([taken.status, taken.body.errors], [422, { code: [/taken/] }])
  }),
)

t.test('a stream tells of a hidden type only who is in its team at that moment', (t) =>
  teamSite(t, async (t, { app, opened, ada, teams: [, owning], outsider, member }) => {
    await app.app.listen({ port: 0, host: '127.0.0.1' })
    await app.lives.begin()
    const { port } = app.app.server.address() as AddressInfo
    const streamOf = async (user: typeof member) => {
      const { token } = await app.features.auth.sessions.begin(user, 'password')
      const headers = { authorization: `Bearer ${token}` }
      const answer = await new Promise<IncomingMessage>((resolve, reject) =>
        get({ port, host: '127.0.0.1', path: '/api/events', headers }, resolve).on('error', reject),
      )
      t.teardown(() => answer.destroy())
      let [text, look] = ['', () => {}]
      answer.on('data', (bytes) => {
        text += bytes
        look()
      })
      return (words: string) =>
        new Promise<string>((resolve) => {
          look = () => text.includes(words) && resolve(text)
          look()
        })
    }
    const [outside, inside] = [await streamOf(outsider), await streamOf(member)]
    await Promise.all([outside('retry: '), inside('retry: ')])
    const write = async (n: number) => {
      const by = { name: 'Zyx', email: 'zyx@example.org' }
      await opened.store.write([{ key: keyOf(OWNED, `zyx${n}`), put: { set: { title: `Zyx ${n}`, status: 'published' } } }], by)
      await opened.store.write([{ key: keyOf('posts', `told${n}`), put: { set: { title: 'Told', status: 'published' } } }], ada)
    }
    await write(1)
    t.match(await inside('told1'), /zyx1/)
    t.notMatch(await outside('told1'), MARK)
    await app.askAs(ada, `DELETE /api/teams/${owning}/members/${member.id}`)
    await write(2)
    t.notMatch(await inside('told2'), /zyx2/)
    t.notMatch(await outside('told2'), MARK)
  }),
)
