import t, { type Test } from 'tap'
import type { AuditEntry } from '#core/audit-log.ts'
import { keyOf } from '#core/key.ts'
import { TestApp } from '#support/app.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'
import { hasCome } from './fixtures/entries.ts'

const BY = { name: 'Ada at the machine', email: 'ada@laptop.example' }
const FILES = { 'content/posts/first.md': '# First\n', 'content/secret/one.md': '# One\n' }
const FEATURES = { api: true, auth: true, teams: true, taxonomy: true, menus: true, settings: true, audit: true }

interface Given {
  readonly app: TestApp
  readonly opened: OpenedStore
  /** Asks for entries, with a token of `admin`. */
  entries(query?: string, as?: string, types?: string[]): Promise<AuditEntry[]>
}

async function given(t: Test, opened: OpenedStore, config: object = {}): Promise<Given> {
  const app = new TestApp(opened, { config: { features: FEATURES, ...config } })
  t.teardown(() => app.close())
  await app.lives.begin()
  return {
    app,
    opened,
    entries: async (query = '', as, types) => {
      const { status, body } = await app.ask(`GET /api/audit?per_page=100&${query}`, {
        ...(as && { as }),
        ...(types && { types }),
      })
      if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
      return body.data
    },
  }
}

const each = (name: string, body: (t: Test, given: Given) => Promise<void>, config: object = {}) =>
  t.test(name, (t) => eachStore(t, { files: FILES }, async (t, opened) => body(t, await given(t, opened, config))))

const words = (entries: readonly AuditEntry[]) =>
  entries.map(({ action, target, outcome }) => [action, target && `${target.type}/${target.id}`, outcome].join(' '))

each(
  'what is done to content is told once, with the request and the token it was asked with',
  async (t, { app, opened, entries }) => {
    const headers = { authorization: `Bearer ${await app.token('edit')}` }
    const sent = { title: 'Hello', body: 'the text of it', status: 'published' }
    const made = await app.bare('POST /api/cms/posts', { headers, body: sent, from: '192.0.2.7' })
    t.equal(made.status, 201)
    opened.clock.advance(1_000)
    await app.bare('PUT /api/cms/posts/hello', { headers, body: { title: 'Hello you', price: 3 }, from: '2001:db8::7' })
    opened.clock.advance(1_000)
    await app.bare('DELETE /api/cms/posts/hello', { headers, from: '192.0.2.7' })
    const found = await hasCome(() => entries('target=record'), 4)
    t.same(words(found), [
      'record.deleted posts/hello ok',
      'record.updated posts/hello ok',
      'record.published posts/hello ok',
      'record.created posts/hello ok',
    ])
    const id = (await app.features.tokens.list()).find(({ name }) => name === 'edit')?.id ?? ''
    t.match(
      found.find(({ action }) => action === 'record.created'),
      {
        actor: { kind: 'token', id, name: 'edit' },
        ...{ via: `token:${id}`, ip: '192.0.2.7', request_id: made.headers['x-request-id'], changed: null },
      },
    )
    t.match(found[1], { changed: ['price', 'title'], ip: '2001:db8::7', target: { kind: 'record' } })
    t.notMatch(JSON.stringify(found), /the text of it/)
    t.match(await entries('actor=nobody'), [])
    t.equal((await entries(`actor=${id}&action=record.deleted`)).length, 1)
  },
)

each('terms, menus and settings are told, and what is done at the machine', async (t, { app, opened, entries }) => {
  await app.ask('POST /api/cms/taxonomy', { body: { type: 'tag', name: 'News' } })
  await app.ask('POST /api/menus', { body: { name: 'main', items: [] } })
  await app.ask('PUT /api/settings/site.tagline', { body: { value: 'covert words' } })
  await opened.store.write([{ key: keyOf('posts', 'by-hand'), put: { set: { title: 'By hand' } } }], BY)
  const found = await hasCome(async () => (await entries()).filter(({ action }) => !action.startsWith('token.')), 5)
  t.same(words(found).sort(), [
    'menu.created menu/main ok',
    'record.created posts/by-hand ok',
    'record.published posts/by-hand ok',
    'settings.created setting/site ok',
    'term.created tag/news ok',
  ])
  t.match(
    found.find(({ action }) => action === 'record.created'),
    {
      ...{ actor: { kind: 'local', id: null, name: 'Ada at the machine' }, via: null, ip: null, request_id: null },
    },
  )
  t.notMatch(JSON.stringify(found), /covert/)
})

each('private changes are there before they are answered, by names of fields alone', async (t, { app, opened, entries }) => {
  await entries()
  const { users } = app.features
  const root = await users.create({ email: 'root@example.org', name: 'Root', role: 'owner' }, BY)
  const as = (request: string, body?: object) => {
    opened.clock.advance(1_000)
    return app.askAs(root, request, body ? { body } : {})
  }
  const { id } = (await as('POST /api/users', { email: 'ben@example.org', name: 'Ben' })).body.data
  await as(`PATCH /api/users/${id}`, { role: 'editor' })
  await as(`PATCH /api/users/${id}`, { name: 'Ben B.' })
  await as(`PATCH /api/users/${id}`, { name: 'Ben B.' })
  opened.clock.advance(1_000)
  await users.setPassword(id, 'covert-hash', BY)
  const { data: token } = (await as('POST /api/tokens', { name: 'bot', scopes: ['content:read'] })).body
  await as(`DELETE /api/tokens/${token.id}`)
  const { data: team } = (await as('POST /api/teams', { name: 'The team' })).body
  await as(`DELETE /api/users/${id}`)
  const since = '2026-01-15T12:00:01Z'
  const found = (await entries(`since=${since}`)).filter(({ action }) => action.split('.')[0] !== 'key')
  t.same(words(found).slice(-8), [
    `user.deleted user/${id} ok`,
    `team.created team/${team.id} ok`,
    `token.revoked token/${token.id} ok`,
    `token.created token/${token.id} ok`,
    `user.updated user/${id} ok`,
    `user.updated user/${id} ok`,
    `role.changed user/${id} ok`,
    `user.created user/${id} ok`,
  ])
  t.match(await entries('action=role.changed'), [
    {
      ...{ actor: { kind: 'user', id: root.id, name: 'Root' }, target: { kind: 'user', title: 'Ben' } },
      ...{ via: /^session:[0-9a-f]{12}$/, changed: ['role', 'sessions'], ip: '127.0.0.1', request_id: /./ },
    },
  ])
  const [password] = (await entries(`target=user/${id}`)).filter(({ changed }) => changed?.includes('password'))
  t.match(password, { actor: { kind: 'local', name: 'Ada at the machine' }, changed: ['password', 'sessions'], ip: null })
  t.notMatch(JSON.stringify(await entries()), /covert|example\.org|cms_/)
})
