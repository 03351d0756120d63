import t from 'tap'
import { throttle, validate } from '#module/module.ts'
import { appWith } from '#support/modules.ts'
import { openFiles } from '#support/stores.ts'

t.test('routes of a module are in the description of the API, below its name', async (t) => {
  const opened = await openFiles({})
  t.teardown(opened.close)
  const { app } = appWith(
    t,
    opened,
    [
      {
        name: 'contacts',
        permissions: ['routes:/api/contacts'],
        definition: {
          routes: (api) =>
            api.group({ prefix: '/api/contacts', use: [throttle('60,1')] }, (group) => {
              const shape = { type: 'object', title: 'Record', properties: { title: { type: 'string' }, of: { $ref: '#/x' } } }
              group.get(
                '/',
                { auth: 'public', summary: 'Lists contacts', query: { type: 'object', properties: { q: { type: 'string' } } } },
                () => ({}),
              )
              group.post('/', { body: validate({ name: 'required|string', email: 'email' }), auth: 'content:write' }, () => ({}))
              group.put('/:id', { body: shape, response: shape, description: 'Whole.' }, () => ({}))
            }),
        },
      },
    ],
    { config: { features: { docs: true } } },
  )
  const { status, body } = await app.bare('GET /api/openapi.json')
  t.equal(status, 200)
  t.ok(body.tags.some(({ name }: { name: string }) => name === 'contacts'))
  const list = body.paths['/api/contacts']
  t.match(list.get, {
    operationId: 'contacts_get_contacts',
    summary: 'Lists contacts',
    tags: ['contacts'],
    security: [],
    parameters: [{ name: 'q', in: 'query' }],
  })
  t.match(list.post, {
    security: [{ bearer: [] }],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { required: ['name'], properties: { email: { format: 'email' } } } } },
    },
    responses: { 403: {}, 422: {}, '2XX': {} },
  })
  const { put } = body.paths['/api/contacts/{id}']
  const { schema } = put.requestBody.content['application/json']
  t.same(schema.properties, { title: { type: 'string' }, of: {} }, 'a name of a shape can not be that of one of ours')
  t.match(put, { description: 'Whole.', parameters: [{ name: 'id', in: 'path', required: true }] })
  t.match((await app.bare('GET /api/docs')).text, 'Lists contacts')
})
