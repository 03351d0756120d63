import { createHash } from 'node:crypto'
import t, { type Test } from 'tap'
import { features } from '#config/schema/serving.ts'
import { type AppOptions, TestApp } from '#support/app.ts'
import { Conformance } from '#support/openapi.ts'
import { openMemory } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const FEATURES = { api: true, revisions: true, search: true, taxonomy: true, menus: true, auth: true, docs: true }
/** All that ships. */
const EVERYTHING = Object.fromEntries(Object.keys(features.properties).map((name) => [name, true]))
const TYPES = plainTypes({
  posts: {
    label: 'Blog',
    fields: {
      price: { type: 'number', label: 'Price', rules: 'required|min:0|max:99' },
      size: { type: 'select', options: ['s', 'm'] },
      writer: { type: 'reference', to: 'authors' },
      sku: { type: 'text', rules: 'between:2,8' },
      data: { type: 'json' },
    },
  },
  authors: { taxonomies: [], additional_fields: true },
  record: {},
  'blog-posts': {},
  blog_posts: {},
})
const FILES = {
  'content/posts/a.md': '---\ntitle: A\nprice: 3\nwriter: ada\n---\nIt works.\n',
  'content/posts/b.md': '---\ntitle: B\nstatus: draft\n---\n',
  'content/authors/ada.md': '# Ada\n',
}

async function open(t: Test, options: AppOptions = {}): Promise<TestApp> {
  const opened = await openMemory({ files: FILES, types: TYPES })
  const app = new TestApp(opened, { config: { features: FEATURES }, ...options })
  t.teardown(() => app.app.close())
  return app
}

// biome-ignore lint/suspicious/noExplicitAny: a document is walked by hand
type Any = any

/** Every object in a document, with the way to it. */
function* parts(value: Any, way = '#'): Generator<[string, Any]> {
  if (typeof value !== 'object' || value === null) return
  yield [way, value]
  for (const [name, part] of Object.entries(value)) yield* parts(part, `${way}/${name}`)
}

function at(document: Any, ref: string): unknown {
  const steps = ref.slice(2).split('/')
  return steps.reduce((value, step) => value?.[step.replaceAll('~1', '/').replaceAll('~0', '~')], document)
}

t.test('every route of the API says what it is, under a name of its own', async (t) => {
  const app = await open(t)
  const silent: string[] = []
  app.app.addHook('onRoute', ({ method, url, schema }) => {
    if (schema?.hide !== true && schema?.operationId === undefined) silent.push(`${method} ${url}`)
  })
  const { body } = await app.bare('GET /api/openapi.json')
  t.strictSame(silent, [])
  t.match(body, { openapi: '3.1.1', info: { title: 'Test site API', version: '0' }, servers: [{ url: 'https://example.org' }] })
  const operations = Object.values<Any>(body.paths).flatMap((item) => Object.values<Any>(item))
  const ids = operations.map(({ operationId }) => operationId)
  t.equal(new Set(ids).size, ids.length)
  for (const { operationId, summary, tags, responses } of operations) {
    t.match(operationId, /^[a-z][A-Za-z]+$/)
    t.match(summary, /^[A-Z].*[^.]$/, operationId)
    t.equal(tags.length, 1, operationId)
    t.ok(
      Object.keys(responses).some((status) => /^[23]/.test(status)),
      operationId,
    )
  }
  const byPatch = body.paths['/api/cms/{type}/{id}'].patch
  t.equal(byPatch.operationId, 'patchRecord')
})

t.test('references lead somewhere, and nothing is there that none leads to, with all that ships', async (t) => {
  const app = await open(t, { config: { features: EVERYTHING } })
  const { body } = await app.ask('GET /api/openapi.json')
  t.strictSame(body.components.schemas.Team.properties.subscription.anyOf, [
    { $ref: '#/components/schemas/Subscription' },
    { type: 'null' },
  ])
  const refs = new Set([...parts(body)].flatMap(([, part]) => (typeof part.$ref === 'string' ? part.$ref : [])))
  for (const ref of refs) t.ok(at(body, ref), ref)
  const { schemas, responses, parameters, headers } = body.components
  const named = Object.entries({ schemas, responses, parameters, headers })
  const there = named.flatMap(([kind, all]) => Object.keys(all as object).map((name) => `#/components/${kind}/${name}`))
  // An error that no route answers just now is one of the table all the same.
  const unused = there.filter((ref) => !refs.has(ref) && !ref.startsWith('#/components/responses/'))
  t.strictSame(unused, [])
})

t.test('examples are what their shapes allow', async (t) => {
  const app = await open(t, { config: { features: EVERYTHING } })
  const { body } = await app.bare('GET /api/openapi.json')
  const conformance = new Conformance(body)
  const media = [...parts(body)].filter(([, part]) => part.schema && 'example' in part)
  t.ok(media.length > 40, `${media.length}`)
  for (const [way, { schema, example }] of media)
    t.equal(conformance.shapeFault(way, way, schema, JSON.stringify(example)), undefined, way)
})

t.test('the errors of a route follow from what it takes', async (t) => {
  const app = await open(t)
  const { body } = await app.bare('GET /api/openapi.json')
  const statuses = (path: string, method: string) => Object.keys(body.paths[path][method].responses).join(' ')
  t.equal(statuses('/api/cms/types', 'get'), '200 400 401 403 406 429 500 503')
  t.equal(statuses('/api/cms/{type}/{id}', 'get'), '200 304 400 401 403 404 406 414 422 429 500 503')
  t.equal(statuses('/api/cms/{type}/{id}', 'put'), '200 400 401 403 404 406 409 412 413 414 415 422 429 500 503 507')
  t.equal(statuses('/api/openapi.json', 'get'), '200 304 400 401 429 500 503')
  const { headers } = body.paths['/api/cms/{type}'].post.responses['201']
  t.strictSame(Object.keys(headers), [
    'X-Request-Id',
    'ETag',
    'Location',
    'RateLimit-Limit',
    'RateLimit-Remaining',
    'RateLimit-Reset',
  ])
  t.strictSame(body.paths['/api/cms/{type}'].post.security, [{ bearer: [] }])
  t.strictSame(body.paths['/api/openapi.json'].get.security, [])
  for (const { method, path, isOpen } of asked(body)) {
    const answer = await app.bare(`${method} ${path.replaceAll(/\{\w+\}/g, 'x')}`)
    const isRefused = answer.status === 401 && /^A token is needed/.test(answer.body?.message)
    t.equal(isRefused, !isOpen, `${method} ${path} ${answer.text.slice(0, 80)}`)
  }
})

/** Lists the operations that can be called without a body, each with a flag that it takes no token. */
function asked(document: Any): { method: string; path: string; isOpen: boolean }[] {
  return Object.entries<Any>(document.paths).flatMap(([path, item]) =>
    Object.entries<Any>(item)
      .filter(([, { requestBody }]) => !requestBody)
      .map(([method, { security }]) => ({ method: method.toUpperCase(), path, isOpen: security.length === 0 })),
  )
}

t.test('the types of a site are described to who may read them, and to nobody else', async (t) => {
  const app = await open(t)
  const bare = await app.bare('GET /api/openapi.json')
  t.equal(bare.headers.vary, 'authorization')
  t.notMatch(bare.text, /sku|Blog|authors/)
  const all = (await app.ask('GET /api/openapi.json')).body
  const names = ['PostsRecord', 'AuthorsRecord', 'RecordRecord', 'BlogPostsRecord', 'BlogPosts2Record']
  for (const name of names) t.ok(all.components.schemas[name], name)
  t.equal(all.paths['/api/cms/posts'].get.operationId, 'listPostsRecords')
  t.strictSame(all.paths['/api/cms/posts'].get.tags, ['Blog'])
  const limited = await app.ask('GET /api/openapi.json', { as: 'read', types: ['authors'] })
  t.ok(limited.body.paths['/api/cms/authors/{id}'])
  t.notOk(limited.body.paths['/api/cms/posts'])
  t.notMatch(limited.text, /sku/)
  const narrowed = await app.ask('GET /api/openapi.json', { as: 'content:read@posts' })
  t.strictSame(
    ['/api/cms/posts', '/api/cms/authors'].map((path) => path in narrowed.body.paths),
    [true, false],
  )
  t.equal((await app.ask('GET /api/openapi.json', { as: 'users:read' })).text, bare.text)
  t.equal((await app.bare('GET /api/openapi.json', { headers: { authorization: 'Bearer cms_none' } })).status, 401)
})

t.test('a declared field is described by its type and its rules', async (t) => {
  const app = await open(t)
  const { components, paths } = (await app.ask('GET /api/openapi.json')).body
  const { PostsRecord, PostsRecordInput, PostsRecordChange, AuthorsRecordInput } = components.schemas
  t.match(PostsRecord.properties, {
    type: { const: 'posts' },
    price: { type: ['number', 'null'] },
    size: { type: ['string', 'null'], enum: ['s', 'm', null] },
    writer: { anyOf: [{ type: 'string' }, { $ref: '#/components/schemas/AuthorsRecord' }, { type: 'null' }] },
  })
  t.ok(['id', 'title', 'price', 'tags'].every((name) => PostsRecord.required.includes(name)))
  t.strictSame(PostsRecordInput.required, ['price'])
  t.equal(PostsRecordInput.additionalProperties, false)
  t.equal(AuthorsRecordInput.additionalProperties, true)
  t.match(PostsRecordInput.properties, {
    price: { type: 'number', minimum: 0, maximum: 99, description: 'Price.' },
    size: { enum: ['s', 'm'] },
    sku: { minLength: 2, maxLength: 8 },
  })
  t.match(PostsRecordChange.properties, { price: { type: ['number', 'null'] }, size: { enum: ['s', 'm', null] } })
  t.equal(PostsRecordChange.required, undefined)
  const named = (path: string) => paths[path].get.parameters.flatMap(({ name }: Any) => name ?? [])
  t.ok(named('/api/cms/posts').includes('tag'))
  t.notOk(named('/api/cms/authors').includes('tag'))
  t.notOk(named('/api/cms/posts').includes('type'))
  const body = (method: string) => paths[method === 'post' ? '/api/cms/posts' : '/api/cms/posts/{id}'][method].requestBody
  t.strictSame(body('post').content['application/json'].schema, { $ref: '#/components/schemas/PostsRecordInput' })
  t.strictSame(body('patch').content['application/json'].schema, { $ref: '#/components/schemas/PostsRecordChange' })
})

t.test('what is sent has the statuses that are stored alone; what is read, those of the clock too', async (t) => {
  const app = await open(t)
  const { components } = (await app.ask('GET /api/openapi.json')).body
  const stored = ['draft', 'in_review', 'published', 'archived']
  t.strictSame(components.schemas.PostsRecordInput.properties.status.enum, stored)
  t.strictSame(components.schemas.PostsRecordChange.properties.status.enum, [...stored, null])
  t.strictSame(components.schemas.PostsRecord.properties.status.type, ['string', 'null'])
  t.equal(components.schemas.PostsRecord.properties.status.enum, undefined)
})

t.test('a list always has meta', async (t) => {
  const app = await open(t)
  const { body } = await app.ask('GET /api/openapi.json')
  const answers = Object.entries<Any>(body.paths).map(([path, { get }]) => [
    path,
    get?.responses['200']?.content?.['application/json']?.schema,
  ])
  const lists = answers.filter(([, schema]) => schema?.properties?.data?.type === 'array')
  t.ok(lists.length > 6, `${lists.length}`)
  for (const [path, { required }] of lists) t.ok(required.includes('data') && required.includes('meta'), path)
})

t.test('a list is filtered by the fields that records of every type have, and by those of its own', async (t) => {
  const app = await open(t)
  const { paths, components } = (await app.ask('GET /api/openapi.json')).body
  const filters = (path: string) =>
    new Map<string, Any>(
      paths[path].get.parameters
        .filter(({ name }: Any) => name?.startsWith('filter'))
        .map((parameter: Any) => [parameter.name, parameter]),
    )
  const [general, posts, authors] = ['{type}', 'posts', 'authors'].map((name) => filters(`/api/cms/${name}`))
  t.ok(general?.has('filter[title]'))
  t.notOk(general?.has('filter[price]'))
  t.match(posts?.get('filter[price]'), { in: 'query', style: 'deepObject', explode: true })
  t.strictSame(posts?.get('filter[price]').schema, { $ref: '#/components/schemas/FilterByNumber' })
  t.strictSame(Object.keys(components.schemas.FilterByNumber.properties), 'eq ne gt gte lt lte in contains'.split(' '))
  t.equal(posts?.get('filter').schema.additionalProperties, false)
  t.ok(posts?.get('filter').schema.properties.sku)
  // What is declared is all that an index holds, though records may have other fields.
  t.notOk(authors?.has('filter[price]'))
  for (const all of [general, posts, authors]) {
    t.ok(all?.has('filter[own]'))
    for (const name of ['body', 'version', 'url', 'type']) t.notOk(all?.has(`filter[${name}]`), name)
    for (const { schema } of all?.values() ?? []) t.ok(schema.type === 'object' || schema.$ref)
  }
})

t.test('lists of any type choose terms by the taxonomies of the site, told to who may read them', async (t) => {
  const app = await open(t)
  const terms = async (options?: Parameters<TestApp['ask']>[1]) => {
    const { body } = options ? await app.ask('GET /api/openapi.json', options) : await app.bare('GET /api/openapi.json')
    const names: string[] = body.paths['/api/cms/{type}'].get.parameters.flatMap(({ name }: Any) => name ?? [])
    return names.filter((name) => ['category', 'tag', 'terms'].includes(name)).join(' ')
  }
  t.equal(await terms(), 'terms')
  t.equal(await terms({ as: 'read' }), 'category tag terms')
  t.equal(await terms({ as: 'content:read@posts' }), 'category tag terms')
  t.equal(await terms({ as: 'users:read' }), 'terms')
})

t.test('each heading says what is under it', async (t) => {
  const app = await open(t)
  const { body } = await app.ask('GET /api/openapi.json')
  for (const { name, description } of body.tags) t.match(description, /^[A-Z].+\.$/, name)
  t.match(body.tags, [{ name: 'Types' }, { name: 'Records' }])
  t.match(
    body.tags.find(({ name }: Any) => name === 'Blog'),
    { description: 'Records of the type "posts".' },
  )
  const { text } = await app.bare('GET /api/docs')
  t.match(text, '<h2>Search</h2><p>Finds records')
})

t.test('records are answered as their type is described', async (t) => {
  const app = await open(t)
  const conformance = new Conformance((await app.ask('GET /api/openapi.json')).body)
  const made = { title: 'New', price: 1, size: 'm', tags: ['news'], data: { any: [1] } }
  const requests: [string, object?][] = [
    ['GET /api/cms/posts?include=writer'],
    ['GET /api/cms/posts?fields=title'],
    ['GET /api/cms/posts/a'],
    ['POST /api/cms/posts', made],
    ['PATCH /api/cms/posts/new?base=', { size: null }],
    ['GET /api/cms/authors'],
    ['GET /api/cms/posts/new/revisions'],
    ['POST /api/cms/posts/new/move', { id: 'other' }],
    ['DELETE /api/cms/posts/other'],
    ['GET /api/cms/posts/other'],
  ]
  for (const [request, body] of requests) {
    const [method = '', url = ''] = request.split(' ')
    const answer = await app.ask(request, body === undefined ? {} : { body })
    t.equal(conformance.fault(method, url, answer), undefined, request)
  }
})

t.test('the check of answers tells what is not as described', async (t) => {
  const app = await open(t)
  const conformance = new Conformance((await app.bare('GET /api/openapi.json')).body)
  const answer = await app.ask('GET /api/cms/posts/a')
  const fault = (changed: object) => conformance.fault('GET', '/api/cms/posts/a', { ...answer, ...changed })
  t.equal(fault({}), undefined)
  t.match(fault({ status: 418 }), /not described to answer/)
  t.match(fault({ headers: { ...answer.headers, etag: undefined } }), /without the header ETag/)
  t.match(fault({ headers: { ...answer.headers, 'content-type': 'text/html' } }), /as text\/html/)
  t.match(fault({ text: '{"data":{"id":1}}' }), /\/data\/id must be string/)
  t.match(fault({ text: '{"data":{},"more":1}' }), /additional properties/)
  t.match(conformance.fault('GET', '/api/nothing', { ...answer, status: 200 }), /is not described/)
  t.match(conformance.fault('GET', '/api/nothing', { ...answer, status: 404 }), /required property 'error'/)
})

t.test('document and page are kept by clients until they change', async (t) => {
  const app = await open(t)
  for (const path of ['/api/openapi.json', '/api/docs']) {
    const { headers } = await app.bare(`GET ${path}`)
    const again = await app.bare(`GET ${path}`, { headers: { 'if-none-match': String(headers.etag) } })
    t.equal(again.status, 304, path)
  }
})

t.test('the page needs nothing from elsewhere, and no script', async (t) => {
  const app = await open(t)
  const { status, headers, text } = await app.bare('GET /api/docs')
  t.equal(status, 200)
  t.equal(headers['content-type'], 'text/html; charset=utf-8')
  const style = /<style>([\s\S]*)<\/style>/.exec(text)?.[1] ?? ''
  const sum = createHash('sha256').update(style).digest('base64')
  t.match(headers['content-security-policy'], `default-src 'none'; style-src 'sha256-${sum}'`)
  t.notMatch(text, /<script|<img|<link|@import|url\(|style="|\son\w+="/)
  const links = [...text.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href)
  for (const href of new Set(links)) {
    if (href.startsWith('#')) t.ok(text.includes(`id="${href.slice(1)}"`), href)
    else t.equal(href, '/api/openapi.json')
  }
  const { body } = await app.bare('GET /api/openapi.json')
  for (const item of Object.values<Any>(body.paths)) {
    for (const { operationId } of Object.values<Any>(item)) t.ok(text.includes(`<article class="operation" id="${operationId}">`))
  }
  t.match(text, `curl -X POST \\\n  &#39;https://example.org/api/cms/posts&#39;`)
})

t.test('what a site is called is text on the page', async (t) => {
  const app = await open(t, { config: { features: FEATURES, site: { name: '<b>"It\'s"</b>', url: 'https://example.org/' } } })
  const { text } = await app.bare('GET /api/docs')
  t.match(text, '<h1>&lt;b&gt;&quot;It&#39;s&quot;&lt;/b&gt; API</h1>')
  t.notMatch(text, '<b>"')
})

t.test('switched off, neither is there', async (t) => {
  const app = await open(t, { config: { features: { ...FEATURES, docs: false } } })
  for (const path of ['/api/openapi.json', '/api/docs']) t.equal((await app.bare(`GET ${path}`)).status, 404, path)
})
