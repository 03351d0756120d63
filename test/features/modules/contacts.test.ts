import t from 'tap'
import { throttle, validate } from '#module/module.ts'
import type { TestModule } from '#support/misbehaving.ts'
import { appWith } from '#support/modules.ts'
import { eachStore } from '#support/stores.ts'

const contacts: TestModule = {
  permissions: ['store', 'routes:/api/contacts'],
  definition: {
    collections: ['contacts'],
    routes: (app, { store }) => {
      const all = store.collection('contacts')
      const rules = validate({ name: 'required|string', email: 'required|email|unique:contacts' })
      app.group({ prefix: 'api', use: [throttle('60,1')] }, (group) => {
        group.get('/contacts', async () => ({ data: (await all.list()).items.map(({ id, fields }) => ({ id, ...fields })) }))
        group.post('/contacts', { body: rules, auth: 'public' }, async ({ body, reply }) => {
          const { id, fields } = await all.put(String(body.name).toLowerCase(), body, 'absent')
          return reply.code(201).send({ data: { id, ...fields } })
        })
        group.get('/contacts/{id}', async ({ params }) => {
          const found = await all.get(params.id ?? '')
          return { data: found ? { id: found.id, ...found.fields } : null }
        })
        group.put('/contacts/{id}', { body: rules }, async ({ params, body }) => {
          const { id, fields } = await all.put(params.id ?? '', body)
          return { data: { id, ...fields } }
        })
        group.delete('/contacts/:id', async ({ params }) => ({ data: { deleted: await all.remove(params.id ?? '') } }))
      })
    },
  },
}

t.test('a module answers the four verbs on a collection and an item', async (t) => {
  await eachStore(t, {}, async (t, opened) => {
    const { app, lines } = appWith(t, opened, [contacts])
    const made = await app.bare('POST /api/contacts', { body: { name: 'Ada', email: 'ada@example.org' } })
    t.strictSame([made.status, made.body], [201, { data: { id: 'ada', name: 'Ada', email: 'ada@example.org' } }])
    t.equal(made.headers['ratelimit-limit'], '60')
    const wrong = await app.bare('POST /api/contacts', { body: { email: 'ada@example.org', nam: 1 } })
    t.equal(wrong.status, 422)
    t.strictSame(Object.keys(wrong.body.errors).sort(), ['name', 'nam'].sort())
    const twice = await app.bare('POST /api/contacts', { body: { name: 'Bob', email: 'ada@example.org' } })
    t.strictSame(twice.body.errors, { email: ['The email has already been taken.'] })
    t.equal((await app.bare('POST /api/contacts', { body: { name: 'Ada', email: 'b@example.org' } })).status, 409)
    t.equal((await app.bare('GET /api/contacts')).status, 401, 'a token is needed where nothing else is said')
    t.strictSame((await app.ask('GET /api/contacts')).body, { data: [{ id: 'ada', name: 'Ada', email: 'ada@example.org' }] })
    const own = await app.ask('PUT /api/contacts/ada', { body: { name: 'Ada L.', email: 'ada@example.org' } })
    t.strictSame(
      [own.status, own.body.data],
      [200, { id: 'ada', name: 'Ada L.', email: 'ada@example.org' }],
      'its own value is not taken',
    )
    t.strictSame((await app.ask('GET /api/contacts/ada')).body.data.name, 'Ada L.')
    t.strictSame((await app.ask('DELETE /api/contacts/ada')).body, { data: { deleted: true } })
    t.strictSame((await app.ask('GET /api/contacts')).body, { data: [] })
    t.equal((await app.ask('PATCH /api/contacts')).status, 405)
    t.strictSame(lines, [])
  })
})

t.test('its throttle counts by itself', async (t) => {
  await eachStore(t, {}, async (t, opened) => {
    const { app } = appWith(t, opened, [
      {
        definition: {
          routes: (app) => app.get('/api/x/contacts/ping', { use: [throttle('2,1')], auth: 'public' }, () => ({ pong: true })),
        },
      },
    ])
    const statuses = []
    for (let n = 0; n < 3; n++) statuses.push((await app.bare('GET /api/x/contacts/ping')).status)
    t.strictSame(statuses, [200, 200, 429])
    t.equal((await app.bare('GET /api/x/contacts/ping', { from: '192.0.2.7' })).status, 200, 'by address')
  })
})
