import t, { type Test } from 'tap'
import { BUILT_IN_ROLES } from '#core/access/roles.ts'
import { groupKey } from '#core/settings.ts'
import { type Answered, TestApp } from '#support/app.ts'
import { longTest } from '#support/long.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const features = { api: true, revisions: true, search: true, taxonomy: true, auth: true, settings: true }
const settings = {
  'shop.currency': { type: 'select', options: ['eur', 'usd'], public: true, default: 'eur' },
  'shop.margin': { type: 'number', rules: 'min:0|max:90', label: 'Our margin' },
  'shop.front': { type: 'reference', to: 'posts', public: true },
  'shop.hours': {
    type: 'list',
    public: true,
    of: { type: 'object', fields: { day: { type: 'text', rules: 'required' }, open: { type: 'boolean' } } },
  },
}
const types = plainTypes({ posts: {} })
const SITE = '# By hand.\ntagline:  "On bread"   # short\n\nfooter: Made by *us*.\n'
const FILES = {
  'content/settings/site.yaml': SITE,
  'content/settings/shop.yaml': 'margin: 12\nold: 1\n',
  'content/settings/custom.yaml': 'note: PRIVATE words\n',
  'content/posts/live.md': '---\ntitle: Live\n---\nWords.\n',
  'content/posts/draft.md': '---\ntitle: Draft\nstatus: draft\n---\nWords.\n',
}

type Body = (t: Test, app: TestApp, opened: OpenedStore) => Promise<void>

function each(name: string, body: Body, files: Record<string, string> = FILES, history = false): void {
  t.test(name, (t) =>
    eachStore(t, { files, types, ...(history && { history }) }, async (t, opened) => {
      const app = new TestApp(opened, { config: { features, settings } })
      t.teardown(() => app.close())
      await body(t, app, opened)
    }),
  )
}

const read = { as: 'read' }
const write = { as: 'settings:write' }
const set = (app: TestApp, key: string, value: unknown, headers = {}) =>
  app.ask(`PUT /api/settings/${key}`, { ...write, body: { value }, headers })
const keys = ({ body }: Answered): string[] => body.data.map(({ key }: { key: string }) => key)
const source = async ({ store }: OpenedStore, group: string) => (await store.get(groupKey(group)))?.source?.toString()

const PUBLIC = [
  ...['shop.currency', 'shop.front', 'shop.hours'],
  ...['site.description', 'site.footer', 'site.logo', 'site.social', 'site.tagline'],
]

each('public settings are for readers, all of them for who may change them', async (t, app, { store }) => {
  const all = await app.ask('GET /api/settings', write)
  t.same(keys(all), ['custom.note', 'shop.currency', 'shop.front', 'shop.hours', 'shop.margin', 'shop.old', ...PUBLIC.slice(3)])
  const some = await app.ask('GET /api/settings', read)
  t.same(keys(some), PUBLIC)
  t.notMatch(some.text, /PRIVATE|margin|12/)
  t.equal((await app.ask('GET /api/settings', { ...read, headers: { 'if-none-match': some.headers.etag ?? '' } })).status, 304)
  const version = (await store.get(groupKey('site')))?.version
  const one = await app.ask('GET /api/settings/site.tagline', write)
  const data = { key: 'site.tagline', value: 'On bread', type: 'text', public: true, label: 'Tagline', declared: true, version }
  t.strictSame(one.body.data, data)
  t.match(one.headers.etag, new RegExp(`^"${version}-[0-9a-f]{8}"$`), 'the version and the value')
  const shown = await app.ask('GET /api/settings/site.tagline', read)
  t.strictSame(shown.body.data, { ...data, version: null }, 'a version would tell of what else is in the file')
  t.notMatch(shown.text + shown.headers.etag, version ?? '')
  t.equal(shown.headers.etag?.slice(-9), one.headers.etag?.slice(-9))
  for (const key of ['shop.margin', 'custom.note', 'shop.old', 'site.nothing', 'site', 'a.b.c', 'site.__proto__', 'x.toString'])
    t.strictSame((await app.ask(`GET /api/settings/${key}`, read)).body, NOT_THERE, key)
  t.match((await app.ask('GET /api/settings/shop.margin', write)).body.data, { value: 12, label: 'Our margin', public: false })
  t.match((await app.ask('GET /api/settings/shop.old', write)).body.data, { value: 1, type: 'json', declared: false })
  t.match((await app.ask('GET /api/settings/shop.currency', read)).body.data, { value: 'eur', type: 'select' })
  t.match((await app.ask('GET /api/settings/site.social', write)).body.data, { value: [], version })
  t.equal((await app.ask('GET /api/settings/custom.toString', write)).status, 404)
  t.equal((await app.bare('GET /api/settings')).status, 401)
  t.equal((await app.ask('GET /api/settings?page=1', read)).status, 400, 'there are no pages')
})

const NOT_THERE = { error: 'Not found', message: 'The setting was not found.' }

each('a change touches the lines of its value alone', async (t, app, opened) => {
  const before = await app.ask('GET /api/settings/site.tagline', write)
  const changed = await set(app, 'site.tagline', 'On cake')
  t.equal(changed.status, 200)
  t.match(changed.body.data, { key: 'site.tagline', value: 'On cake' })
  t.not(changed.headers.etag, before.headers.etag)
  t.equal(await source(opened, 'site'), SITE.replace('On bread', 'On cake'))
  t.equal((await set(app, 'site.tagline', 'On cake')).headers.etag, changed.headers.etag, 'the same again is no write')
  t.equal((await set(app, 'site.social', [{ name: 'Fedi', url: 'https://example.org/@us' }])).status, 200)
  const whole = `${SITE.replace('On bread', 'On cake')}social:\n  - name: Fedi\n    url: https://example.org/@us\n`
  t.equal(await source(opened, 'site'), whole)
  t.strictSame((await app.ask('DELETE /api/settings/site.tagline', write)).body, {
    data: { key: 'site.tagline', deleted: true },
  })
  t.equal(await source(opened, 'site'), whole.replace(/tagline.*\n/, ''))
  t.match((await app.ask('GET /api/settings/site.tagline', read)).body.data, { value: '' })
  t.equal((await app.ask('DELETE /api/settings/site.tagline', write)).status, 200, 'the default counts already')
  t.equal((await set(app, 'site.footer', null)).status, 200, 'null is no value')
  t.match((await app.ask('GET /api/settings/site.footer', read)).body.data, { value: '' })
})

each(
  'a group begins with its first value, and ends with its last',
  async (t, app, opened) => {
    t.equal((await set(app, 'custom.theme', { dark: true, hues: [1, 2] })).status, 200)
    t.equal(await source(opened, 'custom'), 'theme:\n  dark: true\n  hues:\n    - 1\n    - 2\n')
    t.match((await app.ask('GET /api/settings/custom.theme', write)).body.data, { type: 'json', public: false, declared: false })
    t.equal((await app.ask('DELETE /api/settings/custom.theme', write)).status, 200)
    t.equal(await opened.store.get(groupKey('custom')), undefined)
    t.equal((await app.ask('DELETE /api/settings/custom.theme', write)).status, 404)
    t.equal((await app.ask('GET /api/settings/custom.theme', write)).status, 404)
    for (const name of ['title', 'status', 'published_at', 'noindex', 'tags', 'toString', 'draft'])
      t.equal((await set(app, `custom.${name}`, name === 'noindex' ? true : 'soon')).status, 200, name)
    t.match((await app.ask('GET /api/settings/custom.published_at', write)).body.data, { value: 'soon' })
  },
  {},
)

each('values keep their type and rules, and hold no secrets', async (t, app, opened) => {
  const refused: [key: string, value: unknown, errors: object][] = [
    ['site.tagline', 1, { value: ['The value must be a string.'] }],
    ['site.social', ['https://x.org'], { 'value.0': ['The value.0 must be an object.'] }],
    ['shop.currency', 'gbp', { value: ['The value must be one of eur, usd.'] }],
    ['shop.margin', '1', { value: ['The value must be a number.'] }],
    ['shop.margin', 91, { value: ['The value must not be greater than 90.'] }],
    ['shop.hours', [{ open: true }], { 'value.0.day': ['The value.0.day is required.'] }],
    ['shop.front', 'none', { value: ['The selected value is invalid: there is no "none" in posts.'] }],
    ['shop.front', 'draft', { value: ['The selected value is invalid: there is no "draft" in posts.'] }],
    ['site.tagline', 'x'.repeat(10_001), { value: ['The value must not be greater than 10000 characters.'] }],
    ['custom.x', null, { value: ['The value must not be null. DELETE removes the setting.'] }],
    ['shop.x', 1, { key: ['There is no setting "shop.x". What is not declared can be set under "custom." alone.'] }],
    ['site.tagine', 'x', { key: ['There is no setting "site.tagine". Did you mean "site.tagline"?'] }],
    ['custom.body', 'x', { key: ['There is no setting "custom.body". What is not declared can be set under "custom." alone.'] }],
  ]
  for (const [key, value, errors] of refused) {
    const answer = await set(app, key, value)
    t.strictSame([answer.status, answer.body.errors], [422, errors], key)
  }
  const secrets = {
    'token of Quire': `cms_${'a1B2'.repeat(11)}cd`,
    'token of GitHub': `ghp_${'a1B2'.repeat(9)}`,
    'token of Slack': 'xoxb-123456789012-abcdefABCDEF',
    'key of Stripe': `sk_live_${'a1B2'.repeat(6)}`,
    'key of AWS': 'AKIAIOSFODNN7EXAMPLE',
    'private key': '-----BEGIN OPENSSH PRIVATE KEY-----\nabc',
  }
  for (const [name, secret] of Object.entries({ ...secrets, 'token of GitHub ': `github_pat_${'a1B2'.repeat(9)}` })) {
    for (const value of [secret, { deep: [`key:\n${secret}`] }, { [secret]: 1 }]) {
      const answer = await set(app, 'custom.key', value)
      if (typeof value === 'object' && secret.includes('\n') && Object.hasOwn(value, secret)) continue
      t.match(answer.body, { errors: { value: [new RegExp(`holds a ${name.trim()}`)] } }, JSON.stringify(value))
      t.notOk(answer.text.includes(secret), 'which is not said again')
    }
  }
  for (const body of [undefined, {}, { value: 1, more: 2 }, []])
    t.ok([400, 422].includes((await app.ask('PUT /api/settings/custom.x', { ...write, body })).status))
  t.equal(await source(opened, 'site'), SITE, 'nothing is written')
  t.equal((await set(app, 'shop.front', 'live')).status, 200)
  t.equal((await set(app, 'custom.words', 'scms_ and ghp_ and AKIA')).status, 200)
})

each('If-Match compares the value, whatever else is in the file', async (t, app, opened) => {
  const etag = async (key: string) => (await app.ask(`GET /api/settings/${key}`, write)).headers.etag ?? ''
  const tagline = await etag('site.tagline')
  t.equal((await set(app, 'site.footer', 'Another')).status, 200)
  t.equal((await set(app, 'site.tagline', 'Mine', { 'if-match': tagline })).status, 200, 'the file is another, the value is not')
  const late = await set(app, 'site.tagline', 'Late', { 'if-match': tagline })
  t.strictSame([late.status, late.body.message], [412, 'The setting has changed since you read it.'])
  const gone = await app.ask('DELETE /api/settings/site.tagline', { ...write, headers: { 'if-match': tagline } })
  t.equal(gone.status, 412)
  t.equal((await set(app, 'custom.new', 1, { 'if-match': '*' })).status, 412, 'there is none')
  t.equal((await set(app, 'site.tagline', 'Any', { 'if-match': '*' })).status, 200)
  const now = await etag('site.tagline')
  const [one, two] = await Promise.all(['A', 'B'].map((text) => set(app, 'site.tagline', text, { 'if-match': now })))
  t.same([one?.status, two?.status].sort(), [200, 412])
  const many = await Promise.all([1, 2, 3, 4, 5].map((n) => set(app, `custom.many${n}`, n)))
  t.ok(many.every(({ status }) => status === 200))
  t.match(await source(opened, 'custom'), /many1[\s\S]*many5/)
})

each(
  'a file that can not be read takes nothing else down, and is not written',
  async (t, app, opened) => {
    t.same(keys(await app.ask('GET /api/settings', read)), PUBLIC.slice(0, 3))
    const told = await app.ask('GET /api/settings/site.tagline', write)
    t.equal(told.status, 422)
    t.match(told.body.message, opened.name === 'postgres' ? /site/ : /content\/settings\/site.yaml:/)
    const untold = await app.ask('GET /api/settings/site.tagline', read)
    t.strictSame(untold.body, { error: 'Unreadable record', message: 'The file of this setting can not be read.' })
    t.equal((await set(app, 'site.tagline', 'x')).status, 422)
    t.equal((await app.ask('GET /api/settings/shop.currency', read)).status, 200)
  },
  { 'content/settings/site.yaml': 'tagline: [PRIVATE\n' },
)

longTest('every role on every route of settings', (t) =>
  eachStore(t, { files: FILES, types, history: true }, async (t, opened) => {
    const app = new TestApp(opened, { config: { features: { ...features, docs: true }, settings } })
    t.teardown(() => app.close())
    const asked = new Set<string>()
    const by = { name: 'Somebody', email: 'somebody@example.org' }
    const operations = Object.entries((await app.ask('GET /api/openapi.json')).body.paths as Record<string, object>)
      .filter(([path]) => path.startsWith('/api/settings'))
      .flatMap(([path, methods]) =>
        Object.keys(methods)
          .filter((one) => one !== 'parameters')
          .map((method) => `${method.toUpperCase()} ${path}`),
      )
    for (const role of BUILT_IN_ROLES) {
      const user = await app.features.users.create({ email: `${role}@example.org`, handle: role, role }, by)
      const is = async (route: string, key: string, status: number, body?: unknown, ts = '') => {
        asked.add(route)
        const answer = await app.askAs(user, route.replace('{key}', key).replace('{ts}', ts), body === undefined ? {} : { body })
        t.equal(answer.status, status, `${role}: ${route} ${key}: ${answer.text}`)
        if (status === 403) t.match(answer.body.message, 'settings:write')
        if (status === 404) t.strictSame(answer.body, NOT_THERE)
        return answer
      }
      const may = role === 'admin' || role === 'owner'
      t.equal(keys(await is('GET /api/settings', '', 200)).includes('shop.margin'), may)
      await is('GET /api/settings/{key}', 'site.tagline', 200)
      await is('GET /api/settings/{key}', 'shop.margin', may ? 200 : 404)
      await is('PUT /api/settings/{key}', 'site.tagline', may ? 200 : 403, { value: role })
      await is('PUT /api/settings/{key}', 'shop.margin', may ? 200 : 404, { value: 3 })
      await is('PUT /api/settings/{key}', 'custom.none', may ? 200 : 404, { value: 3 })
      await is('DELETE /api/settings/{key}', 'site.tagline', may ? 200 : 403)
      for (const [key, seen, done] of [
        ['site.footer', 200, may ? 200 : 403],
        ['custom.note', may ? 200 : 404, may ? 200 : 404],
      ] as const) {
        const all = await is('GET /api/settings/{key}/revisions', key, seen)
        const ts = all.body.data?.[0]?.ts ?? String(opened.clock.now())
        await is(`GET /api/settings/{key}/revisions/{ts}`, key, seen, undefined, ts)
        await is(`GET /api/settings/{key}/revisions/{ts}/diff`, key, seen, undefined, ts)
        await is(`POST /api/settings/{key}/rollback/{ts}`, key, done, undefined, ts)
      }
      await is('DELETE /api/settings/{key}', 'custom.none', may ? 200 : 404)
    }
    t.same(
      operations.filter((route) => !asked.has(route)),
      [],
      'no route is left out',
    )
    for (const as of ['users:read', 'content:read@posts']) {
      t.equal((await app.ask('GET /api/settings', { as })).status, 403, as)
      t.equal((await app.ask('GET /api/settings/site.tagline', { as })).status, 403, as)
    }
    t.equal((await app.ask('GET /api/settings/site.tagline', { as: 'read', types: ['posts'] })).status, 200)
  }),
)

each(
  'settings are told by no other route',
  async (t, app) => {
    await set(app, 'custom.note', 'PRIVATE, too')
    for (const as of ['read', 'admin'])
      for (const path of ['cms/types', 'cms/search?q=private', 'cms/settings', 'cms/settings/custom', 'cms/taxonomy/tags'])
        t.notMatch((await app.ask(`GET /api/${path}`, { as })).text, /PRIVATE|custom\.|"custom"/, `${as}: ${path}`)
    t.notMatch((await app.ask('GET /api/changes', { as: 'read' })).text, /PRIVATE|custom/)
    t.notMatch((await app.ask('GET /api/changes', { as: 'admin' })).text, /PRIVATE/, 'the name alone')
  },
  FILES,
  true,
)

t.test('switched off, there are no settings', (t) =>
  eachStore(t, { files: FILES, types }, async (t, opened) => {
    const app = new TestApp(opened, { config: { features: { api: true }, settings } })
    t.equal((await app.ask('GET /api/settings', write)).status, 404)
    t.equal((await app.ask('GET /api/settings/site.tagline', write)).status, 404)
  }),
)
