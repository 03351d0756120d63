import Fastify from 'fastify'
import t from 'tap'
import { openApi } from '#http/openapi/document.ts'
import { Operations } from '#http/openapi/operations.ts'
import { sample } from '#http/openapi/sample.ts'

const ABOUT = { title: 'T', version: '1', description: '', url: 'https://example.org' }
const answer = {
  operationId: 'a',
  summary: 'A',
  tags: ['Records'],
  response: { 200: { title: 'Thing', type: 'object' } },
} as const

t.test('routes are taken note of with their methods; what is hidden or says nothing is none', async (t) => {
  const app = Fastify()
  const operations = new Operations(app)
  app.route({ method: ['PUT', 'PATCH'], url: '/api/x/:id', schema: { ...answer, operationId: 'updateThing' }, handler: () => '' })
  app.get('/api/y/:part(^\\d+).xml', { schema: { ...answer } }, () => '')
  app.get('/hidden', { schema: { hide: true } }, () => '')
  app.get('/api/silent', () => '')
  await app.ready()
  const found = operations.all().map(({ method, path, operationId }) => `${method} ${path} ${operationId}`)
  t.strictSame(found, ['PUT /api/x/{id} updateThing', 'PATCH /api/x/{id} patchThing', 'GET /api/y/{part}.xml a'])
})

t.test('two shapes or operations of one name are a mistake', async (t) => {
  const one = { method: 'GET', path: '/api/a', operationId: 'a', schema: answer }
  t.throws(() => openApi([one, { ...one, path: '/api/b' }], ABOUT), { message: 'Two operations are called "a".' })
  const other = { ...answer, response: { 200: { title: 'Thing', type: 'string' } } }
  t.throws(() => openApi([one, { ...one, path: '/api/b', operationId: 'b', schema: other }], ABOUT), {
    message: 'Two shapes are called "Thing".',
  })
  const same = openApi([one, { ...one, path: '/api/b', operationId: 'b' }], ABOUT)
  t.strictSame(same.components.schemas.Thing, { type: 'object' })
})

t.test('bodies of several types, redirects and optional bodies', async (t) => {
  const shape = { title: 'Form', type: ['object', 'null'], properties: { at: { type: 'string', format: 'date-time' } } }
  const content = { 'application/json': { schema: shape }, 'text/html': { schema: { type: 'string' } } }
  const schema = { ...answer, security: [], body: { content }, response: { 200: { content }, 302: { description: 'Away' } } }
  const { paths } = openApi([{ method: 'POST', path: '/api/a', operationId: 'a', schema }], ABOUT)
  const operation = paths['/api/a']?.post
  t.match(operation?.requestBody?.content, {
    'application/json': {
      schema: { anyOf: [{ $ref: '#/components/schemas/Form' }, { type: 'null' }] },
      example: { at: '2026-11-20T09:00:00.000Z' },
    },
    'text/html': { schema: { type: 'string' }, example: undefined },
  })
  t.strictSame(operation?.responses['302'], {
    description: 'Away',
    headers: Object.fromEntries(
      ['X-Request-Id', 'Location', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'].map((name) => [
        name,
        { $ref: `#/components/headers/${name}` },
      ]),
    ),
  })
  t.equal(operation?.requestBody?.required, true)
  const made = openApi([{ method: 'POST', path: '/api/a', operationId: 'a', schema, bodyOptional: true }], ABOUT)
  t.equal(made.paths['/api/a']?.post?.requestBody?.required, false)
})

t.test('a value is made of what a schema says', async (t) => {
  t.equal(sample({ const: 0 }), 0)
  t.equal(sample({ enum: ['x', 'y'] }), 'x')
  t.equal(sample({ type: 'integer', default: 15 }), 15)
  t.strictSame(sample({ type: 'array', items: { type: 'string', format: 'email' } }), ['ada@example.org'])
  t.equal(sample({}), null)
})
