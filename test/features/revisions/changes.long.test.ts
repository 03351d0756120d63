import { rmSync } from 'node:fs'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import type { Change } from '#core/store.ts'
import { TestApp } from '#support/app.ts'
import { git } from '#support/git.ts'
import { runsOf } from '#support/long.ts'
import { eachStore, type OpenedStore, openFiles } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

/** The first commit of a repository is made by the machine's clock: what a test does comes after it. */
const NOW = '2040-01-15T12:00:00.000Z'
const MINUTE = 60_000
const ada = { name: 'Ada', email: 'ada@example.org' }
const bob = { name: 'Bob', email: 'bob@example.org' }
const features = { api: true, auth: true, taxonomy: true, revisions: true, menus: true, settings: true }
const types = plainTypes({ posts: { taxonomies: ['tags'] }, notes: { taxonomies: [] } })
const key = (id: string, kind = 'posts') => keyOf(kind, id)
const put = (id: string, set: object, kind?: string): Change => ({ key: key(id, kind), put: { set: { ...set } } })

interface Site {
  readonly app: TestApp
  readonly opened: OpenedStore
  /** Writes a minute later. */
  write(changes: readonly Change[], by?: typeof ada, note?: object): Promise<unknown>
  /** Lists as `action type/id`; as one who may only read, unless another preset is given. */
  words(query?: string, as?: string): Promise<string[]>
}

function each(name: string, body: (t: Test, site: Site) => Promise<void>): void {
  t.test(name, (t) =>
    eachStore(t, { types, history: true, now: NOW }, async (t, opened) => {
      const app = new TestApp(opened, { config: { features } })
      const write = async (changes: readonly Change[], by = ada, note = {}) => {
        opened.clock.advance(MINUTE)
        return opened.store.write(changes, by, note)
      }
      const words = async (query = '', as = 'read') => {
        const { status, body, text } = await app.ask(`GET /api/changes?per_page=100${query}`, { as })
        if (status !== 200) throw new Error(text)
        return body.data.map(({ action, type, id }: Record<string, string>) => `${action} ${type}/${id}`)
      }
      await body(t, { app, opened, write, words })
    }),
  )
}

const at = (opened: OpenedStore, ms = 0) => new Date(opened.clock.now() + ms).toISOString()

each('what was last done to each thing, newest first, with who did it', async (t, { app, opened, write, words }) => {
  t.same(await words(), [])
  await write([put('a', { title: 'A', status: 'published' }), put('b', { title: 'B', status: 'published' })])
  await write([put('news', { name: 'News' }, 'taxonomy/tags')], bob)
  await write([put('a', { title: 'Another' })], bob, { message: 'Say it better\n\nAnd why.' })
  const { body, headers } = await app.ask('GET /api/changes', { as: 'edit' })
  const [first] = body.data
  t.match(first, {
    ...{ created_at: at(opened), action: 'updated', kind: 'record', type: 'posts', id: 'a', title: 'Another' },
    ...{ author: { name: 'Bob' }, message: 'Say it better\n\nAnd why.', ts: /^\d{13}$/ },
  })
  t.notMatch(JSON.stringify(body), 'example.org', 'no addresses')
  t.equal((await app.ask(`GET /api/cms/posts/a/revisions/${first.ts}`, { as: 'edit' })).status, 200)
  t.match(body.data[1], { kind: 'term', type: 'tag', id: 'news', title: 'News', action: 'created', author: { name: 'Bob' } })
  t.same(body.meta, { total: 3, per_page: 15, current_page: 1, last_page: 1 })
  t.equal((await app.ask('GET /api/changes', { as: 'edit', headers: { 'if-none-match': headers.etag ?? '' } })).status, 304)
  t.same(await words('&type=posts'), ['updated posts/a', 'created posts/b'])
  t.same(await words('&type=tag'), ['created tag/news'])
  t.same(await words('&type=nothing'), [])
  t.same(await words('&author=Bob'), ['updated posts/a', 'created tag/news'])
  t.same(await words('&author=bob'), [])
  t.same(await words(`&since=${at(opened)}`), ['updated posts/a'], 'one at just that time')
  t.same(await words(`&since=${at(opened, 1)}`), [])
  t.same(await words(`&since=${at(opened, -MINUTE)}`), ['updated posts/a', 'created tag/news'])
  const second = await app.ask('GET /api/changes?per_page=2&page=2', { as: 'read' })
  t.match(second.body, { data: [{ id: 'b' }], meta: { total: 3, last_page: 2 } })
  await write([{ key: key('b'), remove: true }])
  t.match((await app.ask('GET /api/changes?per_page=1', { as: 'edit' })).body.data, [{ action: 'deleted', id: 'b', title: 'B' }])
  for (const query of ['since=yesterday', 'since=', 'page=0'])
    t.equal((await app.ask(`GET /api/changes?${query}`)).status, 422, query)
  t.match(await app.ask('GET /api/changes?sinc=1'), { status: 400, body: { message: /Did you mean "since"/ } })
})

each(
  'who may not see drafts is told when a record stops being public, and nothing of what comes after',
  async (t, { app, opened, write, words }) => {
    await write([put('a', { title: 'A', status: 'published' }), put('secret', { title: 'Plan', status: 'draft' })])
    await write([put('gone', { title: 'Gone', status: 'published' }), put('never', { title: 'Never', status: 'draft' })])
    t.same(await words(), ['created posts/gone', 'created posts/a'])
    await write([put('a', { status: 'draft' })], ada, { action: 'unpublished' })
    const withdrawn = at(opened)
    await write([
      { key: key('gone'), remove: true },
      { key: key('never'), remove: true },
    ])
    const list = async () => (await app.ask('GET /api/changes', { as: 'read' })).body.data
    const nothing = { title: null, author: null, message: null, commit: null }
    t.match(await list(), [
      { action: 'deleted', kind: 'record', type: 'posts', id: 'gone', created_at: at(opened), ...nothing },
      { action: 'unpublished', kind: 'record', type: 'posts', id: 'a', created_at: withdrawn, ...nothing },
    ])
    t.equal((await list()).length, 2)
    await write([put('a', { title: 'Secret now' })])
    await write([put('secret', { title: 'Plan B' })])
    t.match(await list(), [{ id: 'gone' }, { id: 'a', created_at: withdrawn, ...nothing }], 'edits of a draft move nothing')
    t.equal((await list()).length, 2)
    t.same(await words(`&since=${at(opened, -2 * MINUTE)}`), ['deleted posts/gone'])
    t.same(await words('&author=Ada'), [], 'who withdrew it is not told, and not found by')
    t.same(await words('', 'edit'), ['updated posts/secret', 'updated posts/a', 'deleted posts/gone', 'deleted posts/never'])
    await write([put('a', { status: 'published' })], ada, { action: 'published' })
    t.match(await list(), [{ action: 'published', id: 'a', title: 'Secret now', author: { name: 'Ada' } }, { id: 'gone' }])
  },
)

each('what the clock begins and ends is there at its time', async (t, { opened, write, words }) => {
  const [begins, ends] = [at(opened, 10 * MINUTE), at(opened, 20 * MINUTE)]
  await write([put('timed', { title: 'Timed', status: 'published', published_at: begins, expires_at: ends })])
  await write([put('other', { title: 'Other', status: 'published' })])
  t.same(await words(), ['created posts/other'])
  t.same(await words('', 'edit'), ['created posts/other', 'created posts/timed'])
  opened.clock.set(begins)
  for (const as of ['read', 'edit']) {
    t.same(await words('', as), ['published posts/timed', 'created posts/other'], as)
    t.same(await words(`&since=${begins}`, as), ['published posts/timed'], as)
  }
  opened.clock.set(ends)
  for (const as of ['read', 'edit']) {
    t.same(await words('', as), ['unpublished posts/timed', 'created posts/other'], as)
    t.same(await words(`&since=${ends}`, as), ['unpublished posts/timed'], as)
  }
  await write([put('timed', { title: 'Edited after its end' })])
  t.same(await words(`&since=${at(opened)}`), [])
  t.same(await words(), ['unpublished posts/timed', 'created posts/other'])
  t.same(await words(`&since=${at(opened)}`, 'edit'), ['updated posts/timed'])
})

each('rights: types, drafts of their own, and none', async (t, { app, opened, write, words }) => {
  await write([
    put('mine', { title: 'Mine', status: 'draft', author: 'ada' }),
    put('theirs', { title: 'Theirs', status: 'draft' }),
  ])
  await write([put('n', { title: 'Note', status: 'published' }, 'notes'), put('t', { name: 'T' }, 'taxonomy/tags')])
  const user = await app.features.users.create({ email: 'a@example.org', handle: 'ada', role: 'author' }, ada)
  const { token } = await app.features.auth.sessions.begin(user, 'password')
  const asked = await app.bare('GET /api/changes', { headers: { authorization: `Bearer ${token}` } })
  t.same(
    asked.body.data.map(({ id }: { id: string }) => id),
    ['n', 't', 'mine'],
  )
  t.notMatch(asked.text, 'Theirs')
  const narrow = await app.ask('GET /api/changes', { as: 'edit', types: ['notes'] })
  t.same(
    narrow.body.data.map(({ id }: { id: string }) => id),
    ['n'],
    'no types, and no terms of them',
  )
  t.equal((await app.bare('GET /api/changes')).status, 401)
  const { token: writer } = await app.features.tokens.create({ name: 'w', scopes: ['content:write'] })
  t.equal((await app.bare('GET /api/changes', { headers: { authorization: `Bearer ${writer}` } })).status, 403)
  await write([put('mine', { author: 'bob' })])
  const after = await app.bare('GET /api/changes', { headers: { authorization: `Bearer ${token}` } })
  t.same(
    after.body.data.map(({ id }: { id: string }) => id),
    ['n', 't'],
    'what was theirs and never public',
  )
  t.same(await words(`&since=${at(opened)}`), [])
})

each('a record that says itself when it was changed is there when it was', async (t, { opened, write, words }) => {
  await write([put('a', { title: 'A', status: 'published', updated_at: '2001-01-01T00:00:00.000Z' })])
  await write([put('b', { title: 'B', status: 'published' })])
  await write([put('a', { title: 'AA' })])
  t.same(await words(`&since=${at(opened)}`), ['updated posts/a'])
})

each('menus are there for who may read them', async (t, { app, opened, write, words }) => {
  await write([put('hidden', { title: 'Hidden', status: 'draft' })])
  opened.clock.advance(MINUTE)
  const items = [{ label: 'Secret plan', record: { type: 'posts', id: 'hidden' } }]
  const menu = { name: 'footer', label: 'Below', items }
  t.equal((await app.ask('POST /api/menus', { as: 'admin', body: menu })).status, 201)
  t.same(await words(), ['created menu/footer'])
  t.same(await words('&type=menu', 'edit'), ['created menu/footer'])
  const list = async (as: string) => (await app.ask('GET /api/changes?type=menu', { as })).body.data[0]
  t.match(await list('read'), { kind: 'menu', title: 'Below', message: null, created_at: at(opened) })
  t.match(await list('admin'), { message: /footer/ })
  const move = await app.ask('POST /api/cms/posts/hidden/move', { as: 'edit', body: { id: 'zq-plan' } })
  t.equal(move.status, 200)
  t.notMatch((await app.ask('GET /api/changes', { as: 'read' })).text, /zq-plan|hidden/, 'nor of what its items lead to')
  t.notMatch((await app.ask('GET /api/menus/footer/revisions', { as: 'read' })).text, /zq-plan|hidden/)
  t.equal((await app.ask('PUT /api/cms/posts/zq-plan', { as: 'edit', body: { status: 'published' } })).status, 200)
  for (const path of ['changes', 'menus/footer/revisions'])
    t.notMatch(
      (await app.ask(`GET /api/${path}`, { as: 'read' })).text,
      /hidden/,
      `nor its former id, once it is public: ${path}`,
    )
  opened.clock.advance(MINUTE)
  t.equal((await app.ask('DELETE /api/menus/footer', { as: 'admin' })).status, 200)
  const nothing = { title: null, author: null, message: null, commit: null }
  t.match(await list('read'), { action: 'deleted', type: 'menu', id: 'footer', created_at: at(opened), ...nothing })
  t.match(await list('admin'), { action: 'deleted', id: 'footer', title: 'Below', author: { name: 'admin' } })
  t.same(await words('&type=menu&author=admin'), [], 'who removed it is not told, and not found by')
  const { token: writer } = await app.features.tokens.create({ name: 'w', scopes: ['content:write'] })
  t.equal((await app.bare('GET /api/changes', { headers: { authorization: `Bearer ${writer}` } })).status, 403)
})

each('of a term that was removed, who may not see all content is told that alone', async (t, { app, opened, write }) => {
  await write([put('plan', { name: 'The plan' }, 'taxonomy/tags')])
  await write([{ key: key('plan', 'taxonomy/tags'), remove: true }])
  const list = async (as: string) => (await app.ask('GET /api/changes', { as })).body.data
  const nothing = { title: null, author: null, message: null, commit: null }
  const gone = { action: 'deleted', kind: 'term', type: 'tag', id: 'plan', created_at: at(opened) }
  t.match(await list('read'), [{ ...gone, ...nothing }])
  t.match(await list('edit'), [{ ...gone, title: 'The plan', author: { name: 'Ada' } }])
})

each('of settings each is there by itself, private ones for who may read them', async (t, { app, opened, words }) => {
  const set = async (key: string, value: unknown) => {
    opened.clock.advance(MINUTE)
    t.equal((await app.ask(`PUT /api/settings/${key}`, { as: 'admin', body: { value } })).status, 200, key)
  }
  await set('site.tagline', 'One')
  await set('custom.plan', { secret: true })
  await set('site.footer', 'Below')
  t.same(await words('', 'admin'), ['created setting/site.footer', 'created setting/custom.plan', 'created setting/site.tagline'])
  t.same(await words(), ['created setting/site.footer', 'created setting/site.tagline'])
  const since = `&since=${at(opened)}`
  await set('custom.plan', { secret: 'more' })
  t.same(await words(since), ['created setting/site.footer'], 'a change of what is private is none for others')
  t.same(await words(since, 'admin'), ['updated setting/custom.plan', 'created setting/site.footer'])
  await set('site.tagline', 'Two')
  opened.clock.advance(MINUTE)
  t.equal((await app.ask('DELETE /api/settings/site.footer', { as: 'admin' })).status, 200)
  t.same(await words(), ['deleted setting/site.footer', 'updated setting/site.tagline'])
  t.match((await app.ask('GET /api/changes', { as: 'read' })).body.data[0], {
    ...{ kind: 'setting', type: 'setting', title: 'Footer', created_at: at(opened), author: { name: 'admin' } },
  })
  t.same(await words('&type=setting&author=Nobody'), [])
})

t.test('settings of one file for all groups are told of by group', async (t) => {
  const files = { 'content/settings.yaml': 'site:\n  tagline: One\nshop:\n  open: true\n' }
  const opened = await openFiles({ types, history: true, now: NOW, files })
  t.teardown(opened.close)
  const app = new TestApp(opened, { config: { features } })
  const ids = async (as: string) => {
    const { body } = await app.ask('GET /api/changes', { as })
    return body.data.map(({ action, id }: Record<string, string>) => `${action} ${id}`).sort()
  }
  t.same(await ids('read'), ['external site.tagline'])
  t.same(await ids('admin'), ['external shop.open', 'external site.tagline'])
  opened.site.write('content/settings/site.yaml', 'tagline: One\nfooter: F\n')
  git(opened.site.root, ['add', '.'])
  git(opened.site.root, ['commit', '-qm', 'A file of its own'])
  await opened.store.reconcile()
  t.same(await ids('read'), ['external site.footer', 'external site.tagline'], 'each once')
})

t.test('where no history is kept it is 404, as revisions are', (t) =>
  eachStore(t, { types, history: false }, async (t, opened) => {
    const app = new TestApp(opened)
    t.match(await app.ask('GET /api/changes'), { status: 404, body: { message: 'Revisions need git.' } })
    t.match(await app.ask('GET /api/changes?since=2026-01-01T00:00:00Z'), { status: 404 })
  }),
)

t.test('an edit in the folder that hides what is public is told once it is in a commit', async (t) => {
  const opened = await openFiles({ types, history: true, now: NOW, files: { 'content/posts/a.md': '---\ntitle: A\n---\n' } })
  t.teardown(opened.close)
  const app = new TestApp(opened)
  const list = async () => (await app.ask('GET /api/changes', { as: 'read' })).body
  for (const text of ['---\ntitle: A\ndraft: true\n---\n', '---\ntitle: A\ndate: 2099-01-01\n---\n', '---\ntitle: [A\n---\n']) {
    opened.site.write('content/posts/a.md', text)
    await opened.store.reconcile()
    t.same((await list()).data, [], text)
  }
  opened.site.write('content/posts/a.md', '---\ntitle: A\ndraft: true\n---\n')
  git(opened.site.root, ['commit', '-qam', 'Hide'])
  await opened.store.reconcile()
  t.match((await list()).data, [{ action: 'unpublished', id: 'a', title: null }])
})

t.test('a menu or term whose file is gone is told of once that is in a commit', async (t) => {
  const files = { 'content/menus/main.yaml': 'label: Main\n', 'content/taxonomy/tags/news.yaml': 'name: News\n' }
  const opened = await openFiles({ types, history: true, now: NOW, files })
  t.teardown(opened.close)
  const app = new TestApp(opened, { config: { features } })
  const list = async () =>
    (await app.ask('GET /api/changes', { as: 'read' })).body.data.map((one: Record<string, string>) => `${one.action} ${one.id}`)
  t.same((await list()).sort(), ['external main', 'external news'])
  for (const path of Object.keys(files)) rmSync(opened.site.path(path))
  await opened.store.reconcile()
  t.same(await list(), [])
  git(opened.site.root, ['commit', '-qam', 'Gone'])
  await opened.store.reconcile()
  opened.clock.advance(MINUTE)
  t.same((await list()).sort(), ['deleted main', 'deleted news'])
})

t.test('an edit in the folder that makes a record public tells nothing of commits in which it was hidden', async (t) => {
  const text = (rest: string) => `---\ntitle: A\n${rest}---\n`
  const files = { 'content/posts/a.md': text(''), 'content/posts/never.md': text('draft: true\n') }
  const opened = await openFiles({ types, history: true, now: NOW, files })
  t.teardown(opened.close)
  const app = new TestApp(opened)
  const { site, store } = opened
  const list = async (as: string) => (await app.ask('GET /api/changes', { as })).body.data
  for (const word of ['hide', 'hidden still']) {
    site.write('content/posts/a.md', text(`draft: true\nword: ${word}\n`))
    git(site.root, ['commit', '-qam', `secret: ${word}`])
  }
  for (const id of ['a', 'never']) site.write(`content/posts/${id}.md`, text(''))
  await store.reconcile()
  const [told, ...others] = await list('read')
  t.same(others, [], 'nothing of what never was public in a commit')
  const { body } = await app.ask('GET /api/cms/posts/a/revisions', { as: 'read' })
  t.match(body.data, [{ ts: told.ts, commit: told.commit, message: told.message }], 'what its revisions say, too')
  t.match(told, { kind: 'record', id: 'a', title: 'A', message: /^(?!secret)/ })
  const whole = await list('edit')
  t.match(whole.find(({ id }: { id: string }) => id === 'a').message, /^secret: hidden still/)
  git(site.root, ['commit', '-qam', 'Show'])
  await store.reconcile()
  opened.clock.advance(2 * MINUTE)
  t.same((await list('read')).map(({ id, message }: Record<string, string>) => `${id} ${message}`).sort(), [
    'a Show',
    'never Show',
  ])
})

const step = fc.record({
  id: fc.constantFrom('a', 'b', 'c'),
  what: fc.constantFrom('publish', 'draft', 'edit', 'schedule', 'expire', 'delete', 'wait', 'look'),
  minutes: fc.integer({ min: 1, max: 4 }),
})

t.test('a front end that asks what changed since has the same as one that reads all', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      await t.test('a story', (t) =>
        eachStore(t, { types, history: true, now: NOW }, async (t, opened) => {
          const app = new TestApp(opened)
          const copy = new Map<string, string>()
          let since = NOW
          const look = async () => {
            const { body } = await app.ask(`GET /api/changes?per_page=100&since=${since}`, { as: 'read' })
            for (const { id } of body.data) {
              const one = await app.ask(`GET /api/cms/posts/${id}`, { as: 'read' })
              if (one.status === 200) copy.set(id, one.body.data.version)
              else copy.delete(id)
            }
            since = body.data[0]?.created_at ?? since
            const all = (await app.ask('GET /api/cms/posts', { as: 'read' })).body.data
            t.strictSame([...copy].sort(), all.map(({ id, version }: Record<string, string>) => [id, version]).sort())
          }
          for (const [n, { id, what, minutes }] of [...steps, { id: 'a', what: 'look', minutes: 1 }].entries()) {
            opened.clock.advance(MINUTE)
            const there = (await opened.store.head(key(id))) !== undefined
            const sets: Record<string, object> = {
              publish: { status: 'published', published_at: null, expires_at: null },
              draft: { status: 'draft' },
              edit: { title: `T${n}` },
              schedule: { status: 'published', published_at: at(opened, minutes * MINUTE), expires_at: null },
              expire: { status: 'published', published_at: null, expires_at: at(opened, minutes * MINUTE) },
            }
            const set = sets[what]
            if (what === 'look') await look()
            else if (what === 'wait') opened.clock.advance(minutes * MINUTE)
            else if (set)
              await opened.store.write([put(id, { title: `T${n}`, ...(there ? {} : { status: 'draft' }), ...set })], ada)
            else if (there) await opened.store.write([{ key: key(id), remove: true }], ada)
          }
        }),
      )
    }),
    { numRuns: runsOf(3) },
  )
})
