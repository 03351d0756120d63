import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import type { ModuleContext } from '#module/context.ts'
import type { TestModule } from '#support/misbehaving.ts'
import { appWith } from '#support/modules.ts'
import { eachStore } from '#support/stores.ts'

const FILES = {
  'content/posts/first.md': '---\ntitle: First\nstatus: published\n---\nHello.\n',
  'content/posts/draft.md': '---\ntitle: Draft\nstatus: draft\n---\n',
}

/** A module that hands out its context. */
function open(
  permissions: readonly string[],
  more: TestModule['definition'] = {},
): { module: TestModule; context: () => ModuleContext } {
  let kept: ModuleContext | undefined
  const routes: TestModule['definition']['routes'] = (_app, context) => {
    kept = context
  }
  const context = () => {
    if (!kept) throw new Error('The app is not ready.')
    return kept
  }
  return { module: { permissions, definition: { collections: ['notes'], routes, ...more } }, context }
}

t.test('documents of a collection are kept as they were put', async (t) => {
  await eachStore(t, {}, async (t, opened) => {
    const { module, context } = open(['store'])
    const { app } = appWith(t, opened, [module])
    await app.app.ready()
    const notes = context().store.collection('notes')
    const odd = {
      status: '1.10',
      id: 'x',
      date: '2020-01-01',
      text: 'a\n\n---\nb: "c"\n',
      list: [1, { a: null, b: [true] }],
      zero: 0,
      no: false,
    }
    const made = await notes.put('one', odd)
    t.strictSame(made.fields, odd)
    t.strictSame((await notes.get('one'))?.fields, odd)
    const next = await notes.put('one', { status: 'done', none: null }, made.version)
    t.strictSame(next.fields, { status: 'done' }, 'a write puts it whole')
    await t.rejects(notes.put('one', {}, made.version), { name: 'ModuleError', status: 409 })
    await t.rejects(notes.put('one', {}, 'absent'), { name: 'ModuleError', status: 409 })
    await t.rejects(notes.put('../up', {}), { name: 'ModuleError', status: 422 })
    await t.rejects(notes.put('large', { text: 'x'.repeat(300_000) }), { name: 'ModuleError', status: 413 })
    for (const n of [3, 1, 2]) await notes.put(`n${n}`, { n, tags: n > 1 ? ['many'] : [] })
    const { items, total } = await notes.list({ where: { tags: 'many' }, sort: ['-n'], limit: 1 })
    t.strictSame([items.map(({ id }) => id), total], [['n3'], 2])
    t.strictSame(
      (await notes.list({ where: { n: 2 } })).items.map(({ id }) => id),
      ['n2'],
    )
    t.strictSame(await Promise.all([notes.remove('n1'), notes.remove('none')]), [true, false])
    const adding = Array.from({ length: 8 }, (_, n) => notes.put('same', { n }))
    t.equal((await Promise.all(adding)).length, 8, 'several at once wait for each other')
    t.equal((await opened.store.kinds()).includes('.contacts-notes'), false)
    t.throws(() => context().store.collection('others'), /declares no collection/)
  })
})

t.test("facts are a module's own, and each is taken once", async (t) => {
  await eachStore(t, {}, async (t, opened) => {
    const [one, two] = [open(['store']), open(['store'])]
    const { app } = appWith(t, opened, [one.module, { ...two.module, name: 'others' }])
    await app.app.ready()
    const { facts } = one.context().store
    await facts.put('a', { b: 1 }, 1000)
    t.equal(await two.context().store.facts.peek('a'), undefined)
    const taken = await Promise.all(Array.from({ length: 5 }, () => facts.take('a')))
    t.strictSame(
      taken.filter((value) => value !== undefined),
      [{ b: 1 }],
    )
    t.equal(await facts.add('n', 2, 1000), 2)
    opened.clock.advance(1001)
    t.equal(await facts.add('n', 2, 1000), 2)
  })
})

t.test('what no permission names throws a sentence', async (t) => {
  await eachStore(t, { files: FILES }, async (t, opened) => {
    const { module, context } = open([])
    const { app } = appWith(t, opened, [module])
    await app.app.ready()
    const { store, records, http, mail, addJob } = context()
    t.throws(() => store.collection('notes'), /does not name the permission store/)
    await t.rejects(async () => store.facts.peek('a'), /permission store/)
    await t.rejects(records.get('posts', 'first'), /permission records/)
    await t.rejects(http.request('https://example.org/'), /permission http:example\.org/)
    await t.rejects(mail.send({ to: 'a@example.org', subject: 's', text: 't' }), /permission mail/)
    await t.rejects(addJob('x', null), /permission jobs/)
  })
})

t.test('records have the rights that are named, and no others', async (t) => {
  await eachStore(t, { files: FILES }, async (t, opened) => {
    const { module, context } = open([
      'records:content:read@posts',
      'records:content:write@posts',
      'records:content:drafts@posts',
      'records:users:read',
    ])
    const { app } = appWith(t, opened, [module])
    await app.app.ready()
    const { records } = context()
    t.equal((await records.get('posts', 'first'))?.title, 'First')
    t.equal(await records.get('posts', 'none'), undefined)
    t.equal(await records.get('pages', 'first'), undefined, 'another type does not exist')
    t.equal(await records.get('.users', 'x'), undefined)
    t.equal((await records.list('posts', { status: 'draft' })).total, 1)
    const made = await records.create('posts', { title: 'By a module', status: 'draft' })
    t.equal(made.status, 'draft')
    t.equal((await records.update('posts', String(made.id), { title: 'Changed' })).title, 'Changed')
    await t.rejects(records.create('posts', { title: 7 }), { name: 'ModuleError', status: 422 })
    await t.rejects(records.remove('posts', String(made.id)), /content:delete/)
    await t.rejects(records.update('posts', 'draft', { status: 'published' }), /content:publish/)
  })
})

t.test('requests go to the hosts that are named, in bounds', async (t) => {
  const server = createServer((request, response) => {
    if (request.url === '/large') response.end('x'.repeat(1024 * 1024 + 1))
    else if (request.url === '/never') return
    else if (request.url === '/away') response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()
    else response.end(JSON.stringify({ method: request.method }))
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const url = `http://localhost:${port}`
  await eachStore(t, {}, async (t, opened) => {
    const { module, context } = open([`http:localhost:${port}`])
    const { app } = appWith(t, opened, [module], { deps: { receivers: { isAllowed: () => true, patience: 1000 } } })
    await app.app.ready()
    const { http } = context()
    const answer = await http.request(`${url}/`, { method: 'PUT', body: 'x' })
    t.strictSame([answer.status, answer.json()], [200, { method: 'PUT' }])
    t.equal((await http.request(`${url}/away`)).status, 302, 'redirects are not followed')
    await t.rejects(http.request(`${url}/large`), /larger than 1 MiB/)
    await t.rejects(http.request(`${url}/never`, { timeout: 50 }))
    await t.rejects(http.request('http://localhost:1/'), /permission http:localhost:1/)
    const guarded = open([`http:localhost:${port}`])
    const other = appWith(t, opened, [guarded.module])
    await other.app.app.ready()
    await t.rejects(guarded.context().http.request(`${url}/`), /Nothing was sent/, 'nor to private addresses')
  })
})

t.test('settings, letters and facts of the site', async (t) => {
  await eachStore(t, { history: true }, async (t, opened) => {
    const { module, context } = open(['mail'], {
      settings: { greeting: { type: 'text', default: 'hello', public: true }, most: { type: 'number', rules: 'min:1' } },
    })
    const { app } = appWith(t, opened, [module])
    await app.app.ready()
    const { settings, mail, site, now } = context()
    t.equal(await settings.get('greeting'), 'hello')
    await settings.set('greeting', 'hi')
    t.equal(await settings.get('greeting'), 'hi')
    await t.rejects(settings.set('most', 0), { name: 'ModuleError', status: 422 })
    await t.rejects(settings.get('other'), /declares no setting/)
    t.equal((await app.ask('GET /api/settings/contacts.greeting', { as: 'read' })).body.data.value, 'hi')
    await mail.send({ to: 'ada@example.org', subject: 'Hello', text: 'A text' })
    t.match(app.messages, [{ template: 'module', to: 'ada@example.org' }])
    t.strictSame((await app.compose(app.messages[0] as never))?.values, { subject: 'Hello', text: 'A text' })
    t.strictSame([site.name, now()], ['Test site', opened.clock.now()])
  })
})
