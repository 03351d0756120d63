import t from 'tap'
import { features as switches } from '#config/schema/serving.ts'
import { OWN_PATHS } from '#features/modules/loading/claims.ts'
import { TestApp } from '#support/app.ts'
import { MISBEHAVING } from '#support/misbehaving.ts'
import { appWith } from '#support/modules.ts'
import { eachStore, openMemory } from '#support/stores.ts'

const SOON = 30

t.test('no module can claim an address that is one of Quire’s own', async (t) => {
  const opened = await openMemory({})
  const features = Object.fromEntries(Object.keys(switches.properties).map((name) => [name, true]))
  const app = new TestApp(opened, { config: { features } })
  t.teardown(() => app.close())
  const paths: string[] = []
  app.app.addHook('onRoute', ({ url }) => {
    const [, first] = /^\/api\/([^/*]+)/.exec(url) ?? []
    if (first !== undefined) paths.push(first)
  })
  await app.app.ready()
  t.ok(paths.length > 20)
  t.strictSame(
    paths.filter((first) => !OWN_PATHS.has(first)),
    [],
  )
})

t.test('modules that misbehave keep nobody from anything', async (t) => {
  t.equal(MISBEHAVING.length, 30)
  await eachStore(t, { history: true, files: { 'content/posts/first.md': '---\ntitle: First\n---\n' } }, async (t, opened) => {
    const { app, lines } = appWith(t, opened, MISBEHAVING, { deps: { modulePatience: SOON } })
    await app.app.ready()
    const { host, lives } = app.features.modules
    const off = host.off().map(({ name }) => name)
    t.strictSame(
      off.sort(),
      MISBEHAVING.filter(({ becomes }) => becomes === 'off')
        .map(({ name }) => name)
        .sort(),
      'what declares what it may not is off, and all else is on',
    )
    await lives.begin()
    t.equal(host.find('throws-in-migration'), undefined, 'one whose migration fails is off from then on')

    const made = await app.ask('POST /api/cms/posts', { body: { title: 'Second', status: 'draft' } })
    t.match(made, { status: 201, body: { data: { title: 'Second', status: 'draft' } } }, 'no check changes what is written')
    t.equal((await app.ask('PUT /api/cms/posts/first', { body: { title: 'Changed' } })).status, 200)
    t.equal((await app.ask('DELETE /api/cms/posts/second')).status, 200)
    for (const name of ['throws-in-check', 'rejects-in-check', 'never-checks', 'odd-check'])
      t.ok(
        lines.some(({ module, message }) => module === name && message.startsWith('The check of a write')),
        name,
      )
    t.equal(lines.filter(({ module }) => module === 'never-checks').length, 3, 'after three times it is not waited for')
    t.equal((await app.ask('PUT /api/cms/posts/first', { body: { title: 'Again' } })).status, 200)
    t.equal(lines.filter(({ module }) => module === 'never-checks').length, 3, 'and is not asked')

    const answers = await Promise.all(
      ['throws-in-handler', 'rejects-in-handler', 'leaks', 'circular', 'never-answers'].map((name) =>
        app.bare(`GET /api/x/${name}/bad`),
      ),
    )
    t.strictSame(
      answers.map(({ status }) => status),
      [500, 500, 500, 500, 503],
    )
    t.notMatch(answers.map(({ text }) => text).join(), /secret|misbehaves/)
    t.equal((await app.ask('GET /api/cms/posts')).body.meta.total, 1, 'the content answers as ever')
    t.equal((await app.bare('GET /api/x/thousand-routes/r1')).status, 404)
  })
})
