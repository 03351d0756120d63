import { once } from 'node:events'
import { Agent, request as httpRequest } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { parseKey } from '#core/key.ts'
import { serializers } from '#http/answers/serialization.ts'
import { errorLog } from '#http/errors/log.ts'
import { KnownPaths } from '#http/known-paths.ts'
import { validators } from '#http/requests/validation.ts'
import { useRouteRules } from '#http/route-rules.ts'
import { InvalidInput } from '#lib/errors.ts'
import { networkOf } from '#lib/net/network.ts'
import { type AppOptions, TestApp } from '#support/app.ts'
import { longTest } from '#support/long.ts'
import { type OpenedStore, openMemory } from '#support/stores.ts'

const LONG = `${'long~'.repeat(35)}end`
const FILES = {
  [`content/posts/${LONG.replaceAll('~', '/')}.md`]: '# L\n',
  'content/posts/a.md': '# A\n',
  'content/posts/bücher und mehr.md': '# B\n',
  'content/secret.md': '# S\n',
}
const TIMEOUTS = { headers: 150, request: 300, check: 30, upload: 300, idle: 5000, keepAlive: 5000 }

async function open(t: Test, options: AppOptions = {}): Promise<{ app: TestApp; opened: OpenedStore }> {
  const opened = await openMemory({ files: FILES })
  const app = new TestApp(opened, options)
  t.teardown(() => app.app.close())
  return { app, opened }
}

/** A listening app's port. */
async function listen(app: TestApp): Promise<number> {
  await app.app.listen({ port: 0, host: '127.0.0.1' })
  return (app.app.server.address() as AddressInfo).port
}

/** Sends bytes, then others when the first are answered, and gives all that comes back until the other side ends. */
async function raw(port: number, bytes: string, next?: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  if (next !== undefined) socket.once('data', () => socket.write(next))
  socket.on('data', (data) => {
    text += data
  })
  socket.on('error', () => undefined)
  socket.write(bytes)
  // `once` would reject on an error that comes when all is answered.
  await new Promise((resolve) => socket.once('close', resolve))
  return text
}

/** Checks an answer off the wire to have the shape of all errors. */
function isError(t: Test, text: string, status: number, label: string): void {
  const [head = '', body = ''] = text.split('\r\n\r\n')
  t.match(head, new RegExp(`^HTTP/1.1 ${status} `), text)
  t.match(head, /^x-request-id: \S+/im)
  t.match(head, /^content-type: application\/json/im)
  t.match(JSON.parse(body), { error: label, message: /\S/ })
}

longTest('every failure has one shape and the id of its request', async (t) => {
  const { app } = await open(t)
  const big = JSON.stringify({ title: 'x', body: 'x'.repeat(2 * 1024 * 1024) })
  const cases: [string, Parameters<TestApp['ask']>[1] & object, number, string][] = [
    ['GET /%zz', {}, 400, 'Bad request'],
    ['GET /api/cms/%', {}, 400, 'Bad request'],
    ['POST /api/cms/posts', { body: '{' }, 400, 'Bad request'],
    ['POST /api/cms/posts', { body: '' }, 400, 'Bad request'],
    ['POST /api/cms/posts', { body: Buffer.from([0x22, 0xff, 0x22]) }, 400, 'Bad request'],
    ['GET /api/cms/posts?x=1', {}, 400, 'Bad request'],
    ['GET /api/cms/posts/a', { headers: { authorization: '' } }, 401, 'Unauthorized'],
    ['GET /api/cms/posts/a', { headers: { authorization: 'Basic YTpi' } }, 401, 'Unauthorized'],
    ['PUT /api/cms/posts/a', { as: 'read', body: {} }, 403, 'Forbidden'],
    ['GET /api/cms/posts/none', {}, 404, 'Not found'],
    ['GET /api/cms/nothing', {}, 404, 'Not found'],
    ['GET /nothing', {}, 404, 'Not found'],
    ['GET /api', {}, 404, 'Not found'],
    ['POST /nothing', { body: 'a=b', headers: { 'content-type': 'text/plain' } }, 404, 'Not found'],
    ['DELETE /api/cms/posts', {}, 405, 'Method not allowed'],
    ['POST /healthz', { body: 'x', headers: { 'content-type': 'text/plain' } }, 405, 'Method not allowed'],
    ['GET /api/cms/posts/a/move', {}, 405, 'Method not allowed'],
    ...['POST /api/cms/types', 'PATCH /api/cms/types', 'PUT /api/cms/types/posts', 'DELETE /api/cms/types/posts'].map(
      (request): [string, { body: object }, number, string] => [request, { body: { title: 'x' } }, 405, 'Method not allowed'],
    ),
    ['GET /api/cms/posts/a', { headers: { accept: 'text/html' } }, 406, 'Not acceptable'],
    ['GET /api/cms/posts/a', { headers: { accept: 'application/json;q=0, */*' } }, 406, 'Not acceptable'],
    ['POST /api/cms/posts', { body: { slug: 'a' } }, 409, 'Conflict'],
    ['PUT /api/cms/posts/a', { body: {}, headers: { 'if-match': '"x"' } }, 412, 'Precondition failed'],
    ['POST /api/cms/posts', { body: big }, 413, 'Payload too large'],
    ['POST /api/cms/posts', { body: 'title=x', headers: { 'content-type': 'text/plain' } }, 415, 'Unsupported media type'],
    [
      'POST /api/cms/posts',
      { body: 'title=x', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      415,
      'Unsupported media type',
    ],
    ['POST /api/cms/posts', { body: '{}', headers: { 'content-encoding': 'gzip' } }, 415, 'Unsupported media type'],
    ['POST /api/cms/posts', { body: '{}', headers: { 'content-type': 'nonsense' } }, 415, 'Unsupported media type'],
    ['POST /api/cms/posts', { body: {} }, 422, 'Validation failed'],
  ]
  for (const [request, options, status, label] of cases) {
    const answer = await app.ask(request, options)
    t.equal(answer.status, status, `${request} ${JSON.stringify(options).slice(0, 80)} ${answer.text}`)
    t.match(answer.body, { error: label, message: /^[A-Z].*\.$/s })
    t.match(answer.headers['x-request-id'], /^[\w-]+$/)
    t.equal(answer.headers['x-content-type-options'], 'nosniff')
    t.notMatch(answer.text, /FST_|at \w+ \(|node_modules/)
  }
  const accepted = [
    'application/json',
    '*/*',
    'application/*',
    'text/html, application/json;q=0.1',
    'Application/JSON; charset=utf-8',
  ]
  for (const accept of accepted) t.equal((await app.ask('GET /api/cms/posts/a', { headers: { accept } })).status, 200, accept)
})

t.test('405 names the methods, 401 the scheme', async (t) => {
  const { app } = await open(t)
  t.equal((await app.ask('DELETE /api/cms/posts')).headers.allow, 'GET, HEAD, POST')
  t.equal((await app.ask('POST /api/cms/posts/a', { body: {} })).headers.allow, 'DELETE, GET, HEAD, PATCH, PUT')
  const names = ['POST /api/cms/types', 'PATCH /api/cms/types', 'PUT /api/cms/types/posts']
  for (const name of names) t.equal((await app.ask(name, { body: { title: 'x' } })).headers.allow, 'GET, HEAD', name)
  t.equal((await app.ask('OPTIONS /api/cms/posts')).status, 405)
  t.equal((await app.bare('GET /api/cms/posts')).headers['www-authenticate'], 'Bearer realm="Quire"')
  const wrong = await app.bare('GET /api/cms/posts', { headers: { authorization: 'Bearer nonsense' } })
  t.match(wrong.headers['www-authenticate'], /^Bearer realm="Quire", error="invalid_token", error_description="[^"]+"$/)
  const token = await app.token()
  t.equal((await app.bare('GET /api/cms/posts', { headers: { authorization: `bearer ${token}` } })).status, 200)
  for (const url of [`/api/cms/posts?access_token=${token}`, `/api/cms/posts?token=${token}`]) {
    t.equal((await app.bare(`GET ${url}`)).status, 401, 'a token is never taken from a URL')
  }
  t.equal((await app.bare('GET /api/cms/posts', { headers: { cookie: `token=${token}; cms_session=${token}` } })).status, 401)
})

t.test('a bug is a 500 that says nothing, and is logged with its request', async (t) => {
  const lines: string[] = []
  const log = errorLog({ write: (line) => lines.push(line) })
  const { app, opened } = await open(t, { deps: { log } })
  const token = await app.token()
  const get = opened.store.get.bind(opened.store)
  opened.store.get = async (key) => {
    if (key.kind === 'posts') throw new Error('secret path /etc/passwd')
    return get(key)
  }
  const answer = await app.bare('GET /api/cms/posts/a', {
    headers: { authorization: `Bearer ${token}`, 'x-request-id': 'mine-1' },
  })
  t.match(answer, { status: 500, body: { error: 'Server error' }, headers: { 'x-request-id': 'mine-1' } })
  t.notMatch(answer.text, /secret/)
  t.equal(lines.length, 1)
  t.match(lines[0], /"requestId":"mine-1".*secret path/)
})

t.test('files that can’t be read for a moment are 503, which is logged', async (t) => {
  const lines: string[] = []
  const { app, opened } = await open(t, { deps: { log: errorLog({ write: (line) => lines.push(line) }) } })
  const token = await app.token()
  opened.store.get = async () => {
    throw Object.assign(new Error('EACCES: permission denied, open /srv/site'), { code: 'EACCES' })
  }
  const answer = await app.bare('GET /api/cms/posts/a', { headers: { authorization: `Bearer ${token}` } })
  t.match(answer, { status: 503, body: { error: 'Unavailable' }, headers: { 'retry-after': '5' } })
  t.notMatch(answer.text, /srv/)
  t.match(lines.join(''), /permission denied/)
})

t.test('a request id is taken over only where it is plain and short', async (t) => {
  const { app } = await open(t)
  for (const id of ['abc-1.2:3_x', 'x'.repeat(64)]) {
    t.equal((await app.bare('GET /healthz', { headers: { 'x-request-id': id } })).headers['x-request-id'], id)
  }
  for (const id of ['', 'a b', 'x'.repeat(65), '<script>', 'a"b']) {
    const own = (await app.bare('GET /healthz', { headers: { 'x-request-id': id } })).headers['x-request-id']
    t.match(own, /^[0-9a-f]{12}-[0-9a-z]+$/)
  }
  const two = await Promise.all([app.bare('GET /healthz'), app.bare('GET /healthz')])
  t.not(two[0].headers['x-request-id'], two[1].headers['x-request-id'])
})

t.test('hostile ids stay in their kind', async (t) => {
  const { app } = await open(t)
  await app.token()
  const ids = [
    ...[
      '..%2fsecret',
      '..%2F..%2Fetc%2Fpasswd',
      '..%5csecret',
      '%2e%2e~secret',
      '..~secret',
      'a%00',
      'a%0a',
      '__proto__',
      'constructor',
    ],
    ...['.hidden', '_x', 'con', 'a~', '~a', 'a~~b', 'a%20', '%C0%AE', 'a:b', 'x'.repeat(5000)],
  ]
  for (const id of ids) {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const answer = await app.ask(`${method} /api/cms/posts/${id}`, method === 'PUT' ? { body: {} } : {})
      t.ok([400, 404, 414].includes(answer.status), `${method} ${id.slice(0, 40)}: ${answer.status}`)
      t.match(answer.body, { error: /\S/, message: /\S/ })
    }
  }
  for (const type of ['..', '.tokens', '%2e%2e', '..%2f.cms', '__proto__', 'taxonomy%2ftags', 'constructor', 'toString', '%00']) {
    t.ok([400, 404].includes((await app.ask(`GET /api/cms/${type}`)).status), type)
    t.ok([400, 404].includes((await app.ask(`GET /api/cms/${type}/a`)).status), type)
    t.ok([400, 404].includes((await app.ask(`POST /api/cms/${type}`, { body: { title: 'X' } })).status), type)
  }
  const impossible = ids.slice(0, -1).filter((id) => id !== 'constructor')
  for (const id of impossible) t.equal(parseKey('posts', decodeURIComponent(id.replace('%C0%AE', '..'))) ?? 'none', 'none', id)
  for (const id of ['bücher und mehr', LONG])
    t.equal((await app.ask(`GET /api/cms/posts/${encodeURIComponent(id)}`)).status, 200, id)
  t.equal((await app.ask(`GET /api/cms/posts/${encodeURIComponent('bücher und mehr'.normalize('NFD'))}`)).status, 200)
})

t.test('hostile bodies: depth, keys, and what objects inherit', async (t) => {
  const { app } = await open(t)
  const nested = (depth: number) => `{"title":"x","deep":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`
  const keys = (count: number) => `{"title":"x","many":[{${Array.from({ length: count - 2 }, (_, n) => `"k${n}":0`).join(',')}}]}`
  const refused = [
    nested(33),
    nested(5000),
    `{"a":${'{"a":'.repeat(5000)}1${'}'.repeat(5001)}`,
    keys(1001),
    '{"title":"x","__proto__":{"a":1}}',
    '{"title":"x","x":{"__proto__":1}}',
    '{"title":"x","x":[{"constructor":{"prototype":{}}}]}',
    '{"title":"x","\\u005f_proto__":1}',
  ]
  for (const body of refused) {
    const answer = await app.ask('POST /api/cms/posts', { body })
    t.match(answer, { status: 400, body: { error: 'Bad request' } }, body.slice(0, 60))
  }
  t.not((await app.ask('POST /api/cms/posts', { body: nested(20) })).status, 400)
  t.not((await app.ask('POST /api/cms/posts', { body: keys(1000) })).status, 400)
  t.equal(({} as { a?: number }).a, undefined)
})

t.test('bodies are taken as they are: no coercion, no dropping', async (t) => {
  const { app } = await open(t)
  for (const title of [null, true, 5, ['a'], { a: 1 }, '0x10']) {
    const answer = await app.ask('POST /api/cms/posts', { body: { title } })
    t.equal(answer.status, typeof title === 'string' ? 201 : 422, JSON.stringify(title))
  }
  const free = await app.ask('POST /api/cms/posts', {
    body: { title: 'Free', count: '0x10', flag: 'true', list: ['1'], none: null },
  })
  t.match(free.body.data, { count: '0x10', flag: 'true', list: ['1'] })
  t.equal((await app.ask('DELETE /api/cms/posts/free', { headers: { 'content-type': 'application/json' } })).status, 200)
})

t.test('a route without a response schema does not boot, and with one nothing else leaves', async (t) => {
  const app = Fastify()
  app.setSerializerCompiler(serializers())
  useRouteRules(app, new KnownPaths())
  t.throws(() => app.get('/x', async () => ({})), /no response schema/)
  const schema = {
    response: { 200: { type: 'object', properties: { a: { type: 'string' }, list: { items: { properties: { b: {} } } } } } },
  }
  app.get('/y', { schema }, async () => ({ a: 'x', passwordHash: 'y', list: [{ b: 1, hash: 2 }] }))
  t.same((await app.inject('/y')).json(), { a: 'x', list: [{ b: 1 }] })
  const strict = Fastify()
  strict.setValidatorCompiler(validators())
  const body = { type: 'object', required: ['n'], additionalProperties: false, properties: { n: { type: 'number' } } }
  strict.post('/', { schema: { body } }, async (request) => request.body)
  for (const payload of [{ n: '1' }, { n: true }, { n: null }, { n: [1] }, { n: '0x10' }, { n: 1, more: 1 }, {}]) {
    t.not((await strict.inject({ method: 'POST', url: '/', payload })).statusCode, 200, JSON.stringify(payload))
  }
  t.same((await strict.inject({ method: 'POST', url: '/', payload: { n: 1 } })).json(), { n: 1 })
})

t.test('what is wrong with a body is said in words of ours, by field', async (t) => {
  const strict = Fastify()
  strict.setValidatorCompiler(validators())
  strict.setErrorHandler((error, _request, reply) => reply.code(422).send(error instanceof InvalidInput ? error.errors : {}))
  const list = { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 2, uniqueItems: true }
  const properties = {
    email: { type: 'string', minLength: 1, maxLength: 200 },
    age: { type: ['integer', 'null'], minimum: 3, maximum: 9 },
    role: { enum: ['viewer', 'author'] },
    code: { type: 'string', minLength: 4, pattern: '^[0-9]+$' },
    list,
  }
  const body = { type: 'object', additionalProperties: false, required: ['email'], properties }
  strict.post('/', { schema: { body } }, async () => ({}))
  const cases: [payload: unknown, field: string, message: string][] = [
    [[], 'body', 'The body must be a JSON object.'],
    [{}, 'email', 'The email is required.'],
    [{ email: 'a', emial: 'a' }, 'emial', 'There is no field "emial".'],
    [{ email: 1 }, 'email', 'The email must be a text.'],
    [{ email: '' }, 'email', 'The email must not be empty.'],
    [{ email: 'a'.repeat(201) }, 'email', 'The email may have at most 200 characters.'],
    [{ email: 'a', age: 'x' }, 'age', 'The age must be a whole number or null.'],
    [{ email: 'a', age: 2 }, 'age', 'The age must be at least 3.'],
    [{ email: 'a', age: 10 }, 'age', 'The age may be at most 9.'],
    [{ email: 'a', role: 'king' }, 'role', 'The role must be one of viewer, author.'],
    [{ email: 'a', code: '1' }, 'code', 'The code must have at least 4 characters.'],
    [{ email: 'a', code: 'abcd' }, 'code', 'The code is not of the form that is asked for.'],
    [{ email: 'a', list: 'x' }, 'list', 'The list must be a list.'],
    [{ email: 'a', list: ['a', 'b', 'c'] }, 'list', 'The list may have at most 2 entries.'],
    [{ email: 'a', list: ['a', 'a'] }, 'list', 'The list must not have the same entry twice.'],
  ]
  for (const [payload, field, message] of cases) {
    const answer = await strict.inject({ method: 'POST', url: '/', payload: payload as object })
    t.same(answer.json(), { [field]: [message] }, message)
  }
})

t.test('health', async (t) => {
  const { app, opened } = await open(t)
  t.same((await app.bare('GET /healthz')).body, { status: 'ok' })
  t.same((await app.bare('GET /readyz')).body, { status: 'ok' })
  t.match(await app.bare('HEAD /readyz'), { status: 200, headers: { 'x-content-type-options': 'nosniff' } })
  const remote = { remote: 'origin', branch: 'main', ahead: 2, behind: null, conflicts: 0, error: 'ssh: no key' }
  opened.store.health = async () => ({ ok: true, problems: [], readOnly: 'A merge is in progress.', details: { remote } })
  const reading = await app.bare('GET /readyz')
  t.equal(reading.status, 200, 'who can only be read is not taken out of service')
  t.same(reading.body, {
    status: 'read_only',
    reason: 'A merge is in progress.',
    remote: { ahead: 2, behind: null, conflicts: 0 },
  })
  opened.store.health = async () => ({ ok: false, problems: ['/home/x is gone'], details: {} })
  const away = await app.bare('GET /readyz')
  t.match(away, { status: 503, body: { error: 'Unavailable' }, headers: { 'retry-after': '5' } })
  t.notMatch(away.text, /home/)
  opened.store.health = () => Promise.reject(new Error('x'))
  t.equal((await app.bare('GET /readyz')).status, 503)
  t.equal((await app.bare('GET /healthz')).status, 200)
})

t.test('what features switch off is not there', async (t) => {
  const { app } = await open(t, { config: { features: { api: false } } })
  t.match(await app.ask('GET /api/cms/posts'), { status: 404, body: { error: 'Not found' } })
  t.equal((await app.ask('GET /api/cms/posts', { headers: { authorization: '' } })).status, 404)
})

t.test('CORS: nothing by default, listed origins where told', async (t) => {
  const origin = 'https://app.example'
  const preflight = { origin, 'access-control-request-method': 'PUT', 'access-control-request-headers': 'authorization' }
  const { app } = await open(t)
  for (const request of ['GET /api/cms/posts', 'OPTIONS /api/cms/posts']) {
    const { headers } = await app.ask(request, { headers: preflight })
    t.notOk(
      Object.keys(headers).some((name) => name.startsWith('access-control')),
      request,
    )
  }
  const listed = (await open(t, { config: { api: { cors: { origins: [origin] } } } })).app
  const allowed = await listed.bare('OPTIONS /api/cms/posts/a', { headers: preflight })
  t.match(allowed, {
    status: 204,
    headers: {
      'access-control-allow-origin': origin,
      'access-control-allow-methods': /PUT/,
      'access-control-allow-headers': /authorization/,
    },
  })
  const answer = await listed.ask('GET /api/cms/posts', { headers: { origin } })
  t.match(answer.headers, { 'access-control-allow-origin': origin, 'access-control-expose-headers': /ETag/ })
  t.match(await listed.bare('GET /api/cms/posts', { headers: { origin } }), {
    status: 401,
    headers: { 'access-control-allow-origin': origin },
  })
  const other = await listed.ask('GET /api/cms/posts', { headers: { origin: 'https://evil.example' } })
  t.equal(other.headers['access-control-allow-origin'], undefined)
  t.equal(other.headers['access-control-allow-credentials'], undefined)
  const strange = await listed.bare('OPTIONS /api/cms/posts')
  t.same([strange.status, strange.text], [204, ''])
  for (const path of ['/api/nothing', '/api/cms/posts/a/nothing', '/api/users/a/nothing'])
    for (const method of ['GET', 'POST', 'DELETE'])
      t.match(await listed.ask(`${method} ${path}`), { status: 404, body: { error: 'Not found' } }, `${method} ${path}`)
  t.match(await listed.ask('DELETE /api/cms/posts'), { status: 405, headers: { allow: /^GET, / } })
})

t.test('throttles count by token, else by address or its network', async (t) => {
  const { app, opened } = await open(t, { config: { throttle: { api: '2,1' } } })
  const seen = async (as: string) => await app.ask('GET /api/cms/posts', { as })
  t.match(await seen('read'), {
    status: 200,
    headers: { 'ratelimit-limit': '2', 'ratelimit-remaining': '1', 'ratelimit-reset': '60' },
  })
  t.equal((await seen('read')).status, 200)
  t.match(await seen('read'), {
    status: 429,
    body: { error: 'Too many requests' },
    headers: { 'retry-after': '60', 'ratelimit-remaining': '0' },
  })
  t.equal((await seen('edit')).status, 200, 'another token')
  for (const status of [401, 401, 429]) t.equal((await app.bare('GET /api/cms/posts')).status, status)
  opened.clock.advance(60_000)
  t.equal((await seen('read')).status, 200)
  t.equal(networkOf('2001:db8:1:2:3:4:5:6'), networkOf('2001:DB8:1:2::1'))
  t.not(networkOf('2001:db8:1:2::1'), networkOf('2001:db8:1:3::1'))
  t.equal(networkOf('::1'), '0:0:0:0::/64')
  t.equal(networkOf('::ffff:10.0.0.1'), '10.0.0.1')
  t.equal(networkOf('10.0.0.1'), '10.0.0.1')
  // Some proxies add the port of the connection.
  t.equal(networkOf('10.0.0.1:5123'), '10.0.0.1')
  t.equal(networkOf('[2001:db8:1:2::1]:5123'), networkOf('2001:db8:1:2::2'))
  t.equal(networkOf('session:10.0.0.1'), 'session:10.0.0.1')
})

t.test('a proxy is believed only where told', async (t) => {
  const ask = async (trust_proxy: false | number, ...forwarded: string[]) => {
    const { app } = await open(t, { config: { throttle: { api: '1,1' }, server: { trust_proxy } } })
    const statuses: number[] = []
    for (const address of forwarded)
      statuses.push((await app.bare('GET /api/cms/posts', { headers: { 'x-forwarded-for': address } })).status)
    return statuses
  }
  t.same(await ask(false, '10.0.0.1', '10.0.0.2'), [401, 429])
  t.same(await ask(1, '10.0.0.1', '10.0.0.2'), [401, 401])
  t.same(await ask(1, '6.6.6.6, 10.0.0.1', '7.7.7.7, 10.0.0.1'), [401, 429])
})

t.test('on the wire: a target that names its host is answered as that host’s, by the same guards', async (t) => {
  const { app } = await open(t)
  const schema = { hide: true, response: { 200: { type: 'string' } } } as const
  app.app.get('/host', { schema }, async ({ headers, url }) => `${headers.host} ${url}`)
  const port = await listen(app)
  const ask = (target: string, host = 'Host: y\r\n') => raw(port, `GET ${target} HTTP/1.1\r\n${host}Connection: close\r\n\r\n`)
  t.match(await ask('http://x.example:8080/host'), /^HTTP\/1\.1 200.*x\.example:8080 \/host$/s)
  t.match(await ask('HTTPS://[::1]/host?q=http://z/'), /200.*\[::1\] \/host\?q=http:\/\/z\/$/s)
  t.match(await ask('/host?q=http://z/'), /200.*y \/host\?q=http:\/\/z\/$/s)
  t.match(await raw(port, 'GET http://x/healthz HTTP/1.0\r\n\r\n'), /^HTTP\/1\.1 200/)
  for (const target of ['http://x/api/cms/types', 'http://x?y']) t.match(await ask(target), /^HTTP\/1\.1 40[14]/, target)
  for (const target of ['http://u@x/healthz', 'http://x:80:80/healthz', 'http://x,y/healthz'])
    isError(t, await ask(target), 400, 'Bad request')
  for (const host of ['', 'Host: x\r\nHost: x\r\n', 'Host: a b\r\n', 'Host: u@x\r\n'])
    isError(t, await ask('http://x/healthz', host), 400, 'Bad request')
  isError(t, await ask('http:///healthz'), 400, 'Bad request')
})

t.test('on the wire: no line of the headers is left out, however many there are', async (t) => {
  const { app } = await open(t)
  const schema = { hide: true, response: { 200: { type: 'string' } } } as const
  app.app.get('/last', { schema }, async ({ headers }) => String(headers['x-forwarded-for']))
  const port = await listen(app)
  const many = 'a:\r\n'.repeat(2500)
  const ask = (last: string) => raw(port, `GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${many}${last}\r\n\r\n`)
  t.match(await ask('X-Forwarded-For: 192.0.2.1'), /^HTTP\/1\.1 200.*192\.0\.2\.1$/s)
  isError(t, await ask('Host: y'), 400, 'Bad request')
})

t.test('on the wire: malformed, slow and overlong requests are answered and ended', async (t) => {
  const { app } = await open(t, { deps: { timeouts: TIMEOUTS } })
  const port = await listen(app)
  // A busy machine is slow by itself: what is not about slowness is asked of one that waits.
  const patient = await listen((await open(t)).app)
  isError(t, await raw(patient, 'nonsense\r\n\r\n'), 400, 'Bad request')
  isError(t, await raw(patient, 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n'), 400, 'Bad request')
  for (const host of [
    'x\r\nHost: x',
    'x\r\nhost: y',
    'a b',
    'x/y',
    'http://x',
    'u@x',
    'x:80:80',
    'x:http',
    '[::1',
    'a,b',
    '%zz',
    'x\\y',
    'caf\xe9',
  ])
    isError(t, await raw(patient, `GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n`), 400, 'Bad request')
  for (const host of ['x', 'X.example:8080', '127.0.0.1:80', '[::1]:80', 'a_b.example.', 'x:', ''])
    t.match(await raw(patient, `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`), /^HTTP\/1\.1 200/, host)
  t.match(await raw(patient, 'GET /healthz HTTP/1.0\r\n\r\n'), /^HTTP\/1\.1 200/)
  isError(
    t,
    await raw(patient, `GET / HTTP/1.1\r\nHost: x\r\nA: ${'x'.repeat(20_000)}\r\n\r\n`),
    431,
    'Request header fields too large',
  )
  isError(t, await raw(port, 'GET /healthz HTTP/1.1\r\nHost: x\r\n'), 408, 'Request timeout')
  isError(
    t,
    await raw(port, 'POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{'),
    408,
    'Request timeout',
  )
  isError(
    t,
    await raw(patient, 'GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: the-moon\r\nConnection: close\r\n\r\n'),
    417,
    'Expectation failed',
  )
  isError(t, await raw(patient, 'CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n'), 405, 'Method not allowed')
  const kept = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'
  const second = (text: string) => text.slice(text.indexOf('{"status":"ok"}') + '{"status":"ok"}'.length)
  isError(t, second(await raw(port, kept, 'GET /healthz HTTP/1.1\r\nHost: x\r\n')), 408, 'Request timeout')
  isError(t, second(await raw(port, kept, 'nonsense\r\n\r\n')), 400, 'Bad request')
  isError(t, await raw(port, 'GET /%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'), 400, 'Bad request')
  isError(t, await raw(port, 'PROPFIND /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'), 405, 'Method not allowed')
  t.match(await raw(port, 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'), /200 OK.*"ok"/s)
})

t.test('closing: kept-alive connections end, requests under way are answered', async (t) => {
  const { app, opened } = await open(t)
  const port = await listen(app)
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const health = opened.store.health.bind(opened.store)
  let begun: () => void = () => undefined
  const under = new Promise<void>((resolve) => {
    begun = resolve
  })
  opened.store.health = async () => {
    begun()
    await held
    return health()
  }
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const idle = new Agent({ keepAlive: true })
  const get = (path: string, by: Agent) =>
    new Promise<{ status: number; connection: string | undefined }>((resolve, reject) => {
      httpRequest({ port, path, agent: by, host: '127.0.0.1' }, (response) => {
        response.resume()
        response.on('end', () => resolve({ status: response.statusCode ?? 0, connection: response.headers.connection }))
      })
        .on('error', reject)
        .end()
    })
  await get('/healthz', idle)
  const waiting = get('/readyz', agent)
  await under
  const begin = Date.now()
  const closing = app.app.close()
  while (app.app.server.listening) await new Promise(setImmediate)
  release()
  t.same(await waiting, { status: 200, connection: 'close' })
  await closing
  t.ok(Date.now() - begin < 3000)
  agent.destroy()
  idle.destroy()
})

t.test('closing: connections that ask for nothing, or never end asking, do not hold it up', async (t) => {
  const { app } = await open(t, { deps: { timeouts: { ...TIMEOUTS, headers: 60_000, request: 600 } } })
  const port = await listen(app)
  const silent = connect(port, '127.0.0.1')
  const endless = connect(port, '127.0.0.1')
  const ended: string[] = []
  for (const [name, socket] of Object.entries({ silent, endless })) {
    socket.on('error', () => undefined).on('close', () => ended.push(name))
  }
  await Promise.all([once(silent, 'connect'), once(endless, 'connect')])
  endless.write('GET /healthz HTTP/1.1\r\n')
  await raw(port, 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  const begin = Date.now()
  await app.app.close()
  t.ok(Date.now() - begin < 3000)
  while (ended.length < 2) await new Promise(setImmediate)
  t.same(ended, ['silent', 'endless'])
})

t.test('what comes while the server is about to end is still answered', async (t) => {
  const { app } = await open(t)
  let end: () => void = () => undefined
  const gate = new Promise<void>((resolve) => {
    end = resolve
  })
  let begun: () => void = () => undefined
  const closing = new Promise<void>((resolve) => {
    begun = resolve
  })
  app.app.addHook('preClose', async () => {
    begun()
    await gate
  })
  const port = await listen(app)
  const closed = app.app.close()
  await closing
  const answer = await raw(port, 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
  t.match(answer, /200 OK.*connection: close.*"ok"/is)
  isError(t, await raw(port, 'GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n'), 503, 'Unavailable')
  end()
  await closed
})
