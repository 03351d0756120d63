import { existsSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'
import ts from 'typescript'
import { TestApp } from '#support/app.ts'
import { eachStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

// What makes a client is fetched by `npm test` on first use.
const MODULES = fileURLToPath(new URL('../../tools/node_modules', import.meta.url))
const skip = !existsSync(join(MODULES, 'openapi-typescript')) && 'run `npm ci --prefix test/tools --ignore-scripts` first'

const TYPES = plainTypes({
  posts: {
    label: 'Blog',
    fields: {
      price: { type: 'number' },
      sold: { type: 'boolean' },
      day: { type: 'date' },
      sku: { type: 'text' },
      writer: { type: 'reference', to: 'authors' },
    },
  },
  authors: { taxonomies: [] },
})
const FILES = {
  'content/posts/a.md':
    '---\ntitle: Ärger\ndate: 2026-01-01\nprice: 3\nsold: true\nday: 2026-05-01\nsku: x-1\ntags: [news]\n---\n',
  'content/posts/b.md': '---\ntitle: Bread\ndate: 2026-02-01\nprice: 12.5\nsold: false\nsku: "[x] & y"\nversion: 1.0.0\n---\n',
  'content/posts/c.md': '---\ntitle: Cake\ndate: 2026-03-01\nday: 2026-06-01\ncategories: [food]\n---\n',
  'content/authors/ada.yaml': 'name: Ada\nborn: 1815\n',
  'content/authors/bob.yaml': 'name: Bob\nborn: 1900\n',
}

/**
 * A program as somebody writes it who has made types of the document: the compiler takes it, and refuses what there is none of.
 */
const PROGRAM = `
import createClient from 'openapi-fetch'
import type { components, paths } from './api'

type Post = components['schemas']['PostsRecord']
type List = paths['/api/cms/posts']['get']['parameters']['query']

export async function run(baseUrl: string, token: string): Promise<Record<string, string>> {
  const api = createClient<paths>({ baseUrl, headers: { Authorization: 'Bearer ' + token } })
  const posts = async (query: List): Promise<string> => {
    const { data, error } = await api.GET('/api/cms/posts', { params: { query: { sort: 'id', ...query } } })
    if (error) return error.message
    const found: Post[] = data.data
    return found.map(({ id }) => id).join(' ') + ' of ' + data.meta.total
  }
  // @ts-expect-error: there is no such field
  const unknown = await posts({ filter: { prize: 3 } })
  // @ts-expect-error: there is no such operator
  const operator = await posts({ 'filter[price]': { over: 3 } })
  // @ts-expect-error: the field holds numbers
  const cheap = await posts({ filter: { price: 'cheap' } })
  const one = await api.GET('/api/cms/posts/{id}', { params: { path: { id: 'a' } } })
  const made = await api.POST('/api/cms/posts', { body: { title: 'New', status: 'draft', price: 1 } })
  // @ts-expect-error: what the clock makes is not sent
  const scheduled = await api.POST('/api/cms/posts', { body: { title: 'Later', status: 'scheduled' } })
  const authors = await api.GET('/api/cms/authors', { params: { query: { filter: { born: 1815 } } } })
  const general = await api.GET('/api/cms/{type}', {
    params: { path: { type: 'posts' }, query: { category: 'food', 'filter[title]': { contains: 'CAK' }, filter: { price: 'null' } } },
  })
  const ids = (records: { id: string }[] = []) => records.map(({ id }) => id).join(' ')
  return {
    equal: await posts({ filter: { price: 12.5, sold: false } }),
    text: await posts({ filter: { sku: '[x] & y' } }),
    range: await posts({ 'filter[price]': { gte: 3, lt: 12 } }),
    both: await posts({ filter: { sold: true }, 'filter[day]': { gt: '2026-04-30' }, 'filter[id]': { in: 'a,c' } }),
    missing: await posts({ filter: { price: 'null', status: 'published' } }),
    there: await posts({ 'filter[price]': { ne: 'null' }, status: 'published' }),
    contains: await posts({ 'filter[title]': { contains: 'arg' } }),
    own: await posts({ 'filter[own]': { version: '1.0.0' } }),
    term: await posts({ tag: 'news', page: 1, per_page: 1 }),
    times: await posts({ 'filter[published_at]': { gte: '2026-02-01', lte: '2026-02-28T00:00:00+01:00' } }),
    unknown,
    operator,
    cheap,
    one: String(one.data?.data.price),
    made: String(made.data?.data.status),
    scheduled: String(scheduled.response.status),
    authors: ids(authors.data?.data),
    general: ids(general.data?.data),
  }
}
`

const ANSWERS = {
  equal: 'b of 1',
  text: 'b of 1',
  range: 'a of 1',
  both: 'a of 1',
  missing: 'c of 1',
  there: 'a b of 2',
  contains: 'a of 1',
  own: 'b of 1',
  term: 'a of 1',
  times: 'b of 1',
  unknown: 'filter[prize]: There is no field "prize". Did you mean "price"?',
  operator: 'filter[price][over]: there is no operator "over". Known are eq, ne, gt, gte, lt, lte, in, contains.',
  cheap: 'The filter[price] must be a number.',
  one: '3',
  made: 'draft',
  scheduled: '422',
  authors: 'ada',
  general: 'c',
}

/** The part of openapi-typescript that is used, which is no dependency of Quire. */
interface Maker {
  default(document: unknown): Promise<unknown>
  astToString(nodes: unknown): string
}

interface Client {
  run(baseUrl: string, token: string): Promise<Record<string, string>>
}

/** The program, compiled against the types made of a document; what the compiler says of it. */
async function clientOf(t: Test, document: unknown): Promise<{ client: Client; faults: string[] }> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'quire-client-')))
  t.teardown(() => rm(folder, { recursive: true }))
  symlinkSync(MODULES, join(folder, 'node_modules'))
  const maker: Maker = await import(pathToFileURL(join(MODULES, 'openapi-typescript/dist/index.mjs')).href)
  const program = join(folder, 'program.ts')
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(join(folder, 'api.d.ts'), maker.astToString(await maker.default(document)))
  writeFileSync(program, PROGRAM)
  const compiled = ts.createProgram([program], {
    strict: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'],
    types: [],
  })
  const faults = ts.getPreEmitDiagnostics(compiled).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
  compiled.emit()
  return { client: await import(pathToFileURL(join(folder, 'program.js')).href), faults }
}

t.test('a client made of the document sends every filter that is documented', { skip }, async (whole) => {
  let made: Awaited<ReturnType<typeof clientOf>> | undefined
  await eachStore(whole, { files: FILES, types: TYPES, now: '2026-11-20T12:00:00Z' }, async (t, opened) => {
    const app = new TestApp(opened)
    t.teardown(() => app.app.close())
    made ??= await clientOf(whole, (await app.ask('GET /api/openapi.json')).body)
    t.strictSame(made.faults, [])
    await app.app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = app.app.server.address() as AddressInfo
    t.strictSame(await made.client.run(`http://127.0.0.1:${port}`, await app.token()), ANSWERS)
  })
})
