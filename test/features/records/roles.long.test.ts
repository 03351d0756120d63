import t, { type Test } from 'tap'
import { BUILT_IN_ROLES } from '#core/access/roles.ts'
import { keyOf } from '#core/key.ts'
import type { Change } from '#core/store.ts'
import { type Answered, TestApp } from '#support/app.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

/** The rules of the contract for content, word for word. Own is a record whose author is the user's handle. */
const TABLE = `
| | viewer | contributor | author | editor | admin | owner |
| read live · drafts | all · – | all · own | all · own | all · all | all · all | all · all |
| create · edit · roll back | – | own drafts | own | all | all | all |
| publish · delete | – | – · own drafts | own | all | all | all |
| terms · menus · media | – | media own | media own | all | all | all |`

type Action = 'read live' | 'drafts' | 'create' | 'edit' | 'roll back' | 'publish' | 'delete' | 'terms' | 'menus'

/** A record that is asked for, by what counts. */
interface Thing {
  readonly name: string
  readonly own: boolean
  readonly live: boolean
}

const THINGS: readonly Thing[] = [
  { name: 'own-draft', own: true, live: false },
  { name: 'own-live', own: true, live: true },
  { name: 'others-draft', own: false, live: false },
  { name: 'others-live', own: false, live: true },
]

const ACT = 'POST /api/cms/{type}/actions'

/** Operations of the route of several records, each done to a record once. */
const ACTED = ['set', 'add', 'set-status', 'set-author', 'remove'] as const

/** The operations that are done to a record once: each has a record of its own for each role. */
const DONE = ['put', 'patch', 'publish', 'give', 'move', 'delete', 'rollback', 'restore', ...ACTED] as const

const [HEAD = [], ...ROWS] = TABLE.trim()
  .split('\n')
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )

/** Returns the entry of the table: `all`, `own`, `own drafts` or `–`. */
function word(role: string, action: Action): string {
  const row = ROWS.find(([actions = '']) => actions.split(' · ').includes(action)) ?? []
  const nth = (row[0] ?? '').split(' · ').indexOf(action)
  const said = (row[HEAD.indexOf(role)] ?? '').split(' · ')
  const one = said.length === 1 ? (said[0] ?? '') : (said[nth] ?? '')
  return one.startsWith('media') ? '–' : one
}

function covers(role: string, action: Action, { own, live }: Thing): boolean {
  const how = word(role, action)
  return how === 'all' || (how === 'own' && own) || (how === 'own drafts' && own && !live)
}

function sees(role: string, thing: Thing): boolean {
  return covers(role, thing.live ? 'read live' : 'drafts', thing)
}

/**
 * Returns the status of the answer for a user who would do all of these. A right that the role does not have at all is missed
 * first; a record that is not seen does not exist.
 */
function expected(role: string, thing: Thing, isSeen: boolean, ...actions: Action[]): number {
  const [first] = actions
  if (first && word(role, first) === '–') return 403
  if (!isSeen) return 404
  return actions.every((action) => covers(role, action, thing)) ? 200 : 403
}

const types = plainTypes({
  posts: { taxonomies: ['tags'] },
  links: { taxonomies: [], fields: { post: { type: 'reference', to: 'posts' } } },
})
const by = { name: 'Somebody', email: 'somebody@example.org' }
const features = { api: true, revisions: true, search: true, taxonomy: true, menus: true, auth: true, docs: true }
const idOf = (role: string, what: string, { name }: Thing) => `${role}-${what}-${name}`
const authorOf = (role: string, { own }: Thing) => (own ? role : 'somebody')
const ALL = BUILT_IN_ROLES.flatMap((role) => ['read', ...DONE].flatMap((what) => THINGS.map((thing) => ({ role, what, thing }))))

/** Every record in two revisions, those to be restored removed in a third. */
async function fill({ store, clock }: OpenedStore): Promise<void> {
  const put = (body: string, set: (one: (typeof ALL)[number]) => object): Change[] =>
    ALL.map((one) => ({
      key: keyOf('posts', idOf(one.role, one.what, one.thing)),
      put: { set: { ...set(one) }, body: `${body} of ${one.role}${one.what}.\n` },
    }))
  const write = async (changes: Change[]) => {
    clock.advance(1000)
    await store.write(changes, by, { message: 'Fill' })
  }
  await write(
    put('Medlar first', ({ role, what, thing }) => ({
      title: `A ${thing.name}`,
      status: thing.live ? 'published' : 'draft',
      author: authorOf(role, thing),
      tags: [`${role}-${what}-${thing.name}`],
    })),
  )
  await write(put('Medlar second', () => ({})))
  const links = BUILT_IN_ROLES.flatMap((role) =>
    THINGS.map((thing) => {
      const id = idOf(role, 'read', thing)
      return { key: keyOf('links', id), put: { set: { title: id, status: 'published', post: id } } }
    }),
  )
  await write(links)
  const menus = (label: string): Change[] =>
    BUILT_IN_ROLES.map((role) => {
      const items = THINGS.map((thing) => ({ label: thing.name, record: { type: 'posts', id: idOf(role, 'read', thing) } }))
      return { key: keyOf('menus', `of-${role}`), put: { set: { label, items } } }
    })
  await write(menus('First'))
  await write(menus('Second'))
  await write(ALL.filter(({ what }) => what === 'restore').map((one) => removal(idOf(one.role, one.what, one.thing))))
}

function removal(id: string): Change {
  return { key: keyOf('posts', id), remove: true }
}

/** Asks as a role, and notes which route was asked. */
class Asker {
  readonly asked = new Set<string>()
  readonly #app: TestApp
  readonly #opened: OpenedStore
  readonly #tokens = new Map<string, string>()

  constructor(app: TestApp, opened: OpenedStore) {
    this.#app = app
    this.#opened = opened
  }

  async as(role: string, route: string, values: Readonly<Record<string, string>> = {}, body?: unknown): Promise<Answered> {
    const [path = '', query] = route.split('?')
    this.asked.add(path)
    this.#opened.clock.advance(1)
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''))
    const headers = { authorization: `Bearer ${await this.#token(role)}` }
    return this.#app.bare(query === undefined ? filled : `${filled}?${query}`, { headers, ...(body !== undefined && { body }) })
  }

  async #token(role: string): Promise<string> {
    const known = this.#tokens.get(role)
    if (known) return known
    const user = await this.#app.features.users.create({ email: `${role}@example.org`, handle: role, role }, by)
    const { token } = await this.#app.features.auth.sessions.begin(user, 'code')
    this.#tokens.set(role, token)
    return token
  }
}

interface Cell {
  readonly t: Test
  readonly ask: Asker
  readonly role: string
  /** The names of the first two revisions of any record: all were written together. */
  readonly revisions: readonly string[]
}

const ids = ({ body }: Answered): string[] => body.data.map(({ id }: { id: string }) => id).sort()

async function readsOne({ t, ask, role, revisions }: Cell, thing: Thing): Promise<void> {
  const id = idOf(role, 'read', thing)
  const [first = '', second = ''] = revisions
  const status = sees(role, thing) ? 200 : 404
  const post = { type: 'posts', id, ts: first }
  const is = async (route: string, values: Readonly<Record<string, string>> = post) => {
    const answer = await ask.as(role, route, values)
    t.equal(answer.status, status, `${role}, ${thing.name}: ${route}`)
    return answer
  }
  await is('GET /api/cms/{type}/{id}')
  await is(`GET /api/cms/{type}/{id}?at=${second}`)
  const { body } = await is('GET /api/cms/{type}/{id}/revisions')
  if (status === 200) t.equal(body.meta.total, 2)
  await is('GET /api/cms/{type}/{id}/revisions/{ts}')
  await is('GET /api/cms/{type}/{id}/revisions/{ts}/diff')
  await is(`GET /api/cms/{type}/{id}/revisions/{ts}/diff?against=${second}`)
  await is('GET /api/cms/taxonomy/{kind}/{id}', { kind: 'tags', id })
  const link = await ask.as(role, 'GET /api/cms/{type}/{id}?include=post', { type: 'links', id })
  t.equal(typeof link.body.data.post, status === 200 ? 'object' : 'string', `${role}, ${thing.name}: included`)
}

async function readsMany({ t, ask, role, revisions }: Cell): Promise<void> {
  const there = THINGS.filter((thing) => sees(role, thing)).map((thing) => idOf(role, 'read', thing))
  const all = THINGS.map((thing) => idOf(role, 'read', thing))
  const list = async (query: string) => ask.as(role, `GET /api/cms/{type}?per_page=100&${query}`, { type: 'posts' })
  const named = `filter[id][in]=${all.join(',')}`
  t.strictSame(ids(await list(`${named}&sort=title`)), [...there].sort(), `${role}: list`)
  t.strictSame(ids(await list(`${named}&q=medlar`)), [...there].sort(), `${role}: list with q`)
  const { meta } = (await list(`${named}&facets=author,status`)).body
  const count = (of: (thing: Thing) => boolean) => THINGS.filter((thing) => sees(role, thing) && of(thing)).length
  const counts = (of: Record<string, number>) => Object.fromEntries(Object.entries(of).filter(([, n]) => n > 0))
  t.match(meta, { total: there.length }, `${role}: total`)
  t.strictSame(
    { ...meta.facets.status, ...meta.facets.author },
    counts({
      published: count(({ live }) => live),
      draft: count(({ live }) => !live),
      [role]: count(({ own }) => own),
      somebody: count(({ own }) => !own),
    }),
    `${role}: facets`,
  )
  const seen = ALL.filter(
    ({ what, thing, role: whose }) => what !== 'restore' && sees(role, { ...thing, own: thing.own && whose === role }),
  )
  t.equal((await list('')).body.meta.total, seen.length, `${role}: all that there is`)
  t.equal(
    (await ask.as(role, 'GET /api/cms/types/{name}', { name: 'posts' })).body.data.count,
    seen.length,
    `${role}: count of the type`,
  )
  const counted = (await ask.as(role, 'GET /api/cms/types')).body.data.find(({ name }: { name: string }) => name === 'posts')
  t.equal(counted.count, seen.length)
  const found = await ask.as(role, `GET /api/cms/search?q=%2Bmedlar%20%2B${role}read&per_page=100`)
  t.strictSame(
    [ids(found), found.body.meta.total, found.body.meta.facets.type],
    [[...there].sort(), there.length, { posts: there.length }],
    `${role}: search`,
  )
  const drafts = await ask.as(role, `GET /api/cms/search?q=%2B${role}read&status=draft`)
  t.equal(
    drafts.body.meta.total,
    count(({ live }) => !live),
    `${role}: drafts that are found`,
  )
  const terms = (await pages(ask, role)).filter((id) => id.startsWith(`${role}-read-`))
  t.strictSame(terms.sort(), [...there].sort(), `${role}: terms`)

  const [, second = ''] = revisions
  const past = await list(`${named}&at=${second}`)
  t.equal(past.status, word(role, 'drafts') === '–' ? 403 : 200, `${role}: at`)
  if (past.status === 200) t.strictSame(ids(past), [...there].sort(), `${role}: what there was`)
  const removed = await list('deleted=true')
  t.equal(removed.status, word(role, 'drafts') === '–' ? 403 : 200, `${role}: deleted`)
  const gone = THINGS.filter((thing) => covers(role, 'drafts', thing)).map((thing) => idOf(role, 'restore', thing))
  if (removed.status === 200)
    t.strictSame(
      ids(removed).filter((id) => id.startsWith(`${role}-`)),
      gone.sort(),
      `${role}: what was removed`,
    )
  if (word(role, 'drafts') === 'own') t.equal(removed.body.meta.total, gone.length, `${role}: nothing of others`)
}

async function pages(ask: Asker, role: string): Promise<string[]> {
  const found: string[] = []
  for (let page = 1; ; page++) {
    const { body } = await ask.as(role, `GET /api/cms/taxonomy/{kind}?per_page=100&page=${page}`, { kind: 'tags' })
    found.push(...body.data.map(({ id }: { id: string }) => id))
    if (page >= body.meta.last_page) return found
  }
}

async function writesOne({ t, ask, role, revisions }: Cell, thing: Thing): Promise<void> {
  const is = async (what: (typeof DONE)[number], route: string, status: number, sent?: object) => {
    const id = idOf(role, what, thing)
    const [first = '', second = ''] = revisions
    const body = route.endsWith('/actions') ? { ids: [id], ...sent } : sent
    const answer = await ask.as(role, route, { type: 'posts', id, ts: what === 'restore' ? second : first }, body)
    t.equal(answer.status, status, `${role}, ${thing.name}: ${what}: ${answer.text.slice(0, 200)}`)
    if (status === 403) t.match(answer.body.message, /content:(?:write|publish|delete)/, 'the right is named')
  }
  const seen = sees(role, thing)
  const all = word(role, 'edit') === 'all'
  const edit = expected(role, thing, seen, 'edit')
  await is('put', 'PUT /api/cms/{type}/{id}', edit, { title: 'Another' })
  await is('patch', 'PATCH /api/cms/{type}/{id}', edit, { body: 'Another' })
  await is('publish', 'PUT /api/cms/{type}/{id}', expected(role, thing, seen, 'edit', 'publish'), {
    status: thing.live ? 'draft' : 'published',
  })
  await is('give', 'PUT /api/cms/{type}/{id}', edit === 200 && !all ? 403 : edit, { author: 'third' })
  await is('move', 'POST /api/cms/{type}/{id}/move', edit, { id: `${idOf(role, 'moved', thing)}` })
  await is('rollback', 'POST /api/cms/{type}/{id}/rollback/{ts}', expected(role, thing, seen, 'roll back'))
  await is('delete', 'DELETE /api/cms/{type}/{id}', expected(role, thing, seen, 'delete'))
  await is('set', ACT, edit, { set: { title: 'Another' } })
  await is('add', ACT, edit, { add: { tags: ['one'] } })
  await is('set-status', ACT, expected(role, thing, seen, 'edit', 'publish'), {
    set: { status: thing.live ? 'draft' : 'published' },
  })
  await is('set-author', ACT, edit === 200 && !all ? 403 : edit, { set: { author: 'third' } })
  await is('remove', ACT, expected(role, thing, seen, 'delete'), { delete: true })
  const actions: Action[] = thing.live ? ['roll back', 'publish'] : ['roll back']
  await is('restore', 'POST /api/cms/{type}/{id}/rollback/{ts}', expected(role, thing, covers(role, 'drafts', thing), ...actions))
}

async function makes({ t, ask, role }: Cell): Promise<void> {
  const create = async (body: object, status: number, why: string, author: string | null = role) => {
    const answer = await ask.as(role, 'POST /api/cms/{type}', { type: 'posts' }, { title: `By ${role}`, ...body })
    t.equal(answer.status, status, `${role}: ${why}: ${answer.text.slice(0, 200)}`)
    if (status === 201) t.equal(answer.body.data.author, author, `${role}: ${why}`)
    if (status === 403) t.match(answer.body.message, /content:(?:write|publish)/)
  }
  const may = (isAllowed: boolean) => (isAllowed ? 201 : 403)
  const how = word(role, 'create')
  await create({}, may(how !== '–'), 'a new record is their own')
  await create({ author: role, status: 'draft' }, may(how !== '–'), 'said in full')
  await create({ author: 'somebody' }, may(how === 'all'), "a new record of somebody else's", 'somebody')
  await create({ author: null }, may(how !== '–'), 'of nobody', how === 'all' ? null : role)
  await create({ status: 'published' }, may(how !== '–' && word(role, 'publish') !== '–'), 'a public one')
  await create({ status: 'published', author: 'somebody' }, may(how === 'all'), 'a public one of another', 'somebody')
}

async function changesTerms({ t, ask, role }: Cell): Promise<void> {
  const isAllowed = word(role, 'terms') === 'all'
  const id = `term-of-${role}`
  const is = async (route: string, status: number, body?: unknown) => {
    const answer = await ask.as(role, route, { kind: 'tags', id }, body)
    t.equal(answer.status, isAllowed ? status : 403, `${role}: ${route}`)
    if (!isAllowed) t.match(answer.body.message, 'taxonomy:write')
  }
  await is('POST /api/cms/taxonomy', 201, { type: 'tag', name: id })
  await is('PUT /api/cms/taxonomy/{kind}/{id}', 200, { description: 'One' })
  await is('PATCH /api/cms/taxonomy/{kind}/{id}', 200, { description: 'Two' })
  await is('DELETE /api/cms/taxonomy/{kind}/{id}', 200)
}

async function changesMenus({ t, ask, role }: Cell): Promise<void> {
  const isAllowed = word(role, 'menus') === 'all'
  const name = `menu-of-${role}`
  const is = async (route: string, status: number, body?: unknown) => {
    const answer = await ask.as(role, route, { name }, body)
    t.equal(answer.status, isAllowed || route.startsWith('GET') ? status : 403, `${role}: ${route}`)
    if (answer.status === 403) t.match(answer.body.message, 'menus:write')
    return answer
  }
  await is('POST /api/menus', 201, { name })
  const items = THINGS.map((thing) => ({ label: thing.name, record: { type: 'posts', id: idOf(role, 'read', thing) } }))
  await is('PUT /api/menus/{name}', 200, { items })
  await is('PATCH /api/menus/{name}', 200, { label: 'Two' })
  const there = THINGS.filter((thing) => sees(role, thing)).map((thing) => thing.name)
  const labels = ({ items: all }: { items: readonly { label: string }[] }) => all.map(({ label }) => label)
  const { body } = await ask.as(role, 'GET /api/menus/{name}', { name: `of-${role}` })
  t.strictSame(labels(body.data), there, `${role}: a menu has what its reader may see`)
  const list = (await is('GET /api/menus', 200)).body.data.find((menu: { name: string }) => menu.name === `of-${role}`)
  t.strictSame(labels(list), there, `${role}: in the list, too`)
  await is('DELETE /api/menus/{name}', 200)
  const of = `of-${role}`
  const past = await ask.as(role, 'GET /api/menus/{name}/revisions', { name: of })
  t.equal(past.body.meta.total, 2, `${role}: revisions of a menu`)
  const [{ ts }, { ts: first }] = past.body.data
  for (const route of ['GET /api/menus/{name}/revisions/{ts}', `GET /api/menus/{name}?at=${ts}`]) {
    const then = await ask.as(role, route, { name: of, ts })
    t.strictSame(
      labels(then.body.data),
      sees(role, THINGS[2] as Thing) ? THINGS.map(({ name: one }) => one) : there,
      `${role}: ${route}`,
    )
  }
  const diff = await ask.as(role, 'GET /api/menus/{name}/revisions/{ts}/diff', { name: of, ts })
  t.equal(diff.status, 200)
  const rolled = await ask.as(role, 'POST /api/menus/{name}/rollback/{ts}', { name: of, ts: first })
  t.equal(rolled.status, isAllowed ? 200 : 403, `${role}: rollback of a menu`)
}

t.test('every role on every route of content: what is its own, and what is not', { timeout: 900_000 }, (t) =>
  eachStore(t, { types, history: true, now: '2040-01-15T12:00:00Z' }, async (t, opened) => {
    const app = new TestApp(opened, { config: { features } })
    await fill(opened)
    await opened.search.ready()
    const ask = new Asker(app, opened)
    const history = await opened.store.history(keyOf('posts', idOf('viewer', 'read', THINGS[0] as Thing)), {})
    const revisions = (history?.items ?? []).map(({ number }) => String(number)).reverse()
    const cells = BUILT_IN_ROLES.map((role): Cell => ({ t, ask, role, revisions }))
    for (const cell of cells) {
      for (const thing of THINGS) await readsOne(cell, thing)
      await readsMany(cell)
    }
    for (const cell of cells) {
      for (const thing of THINGS) await writesOne(cell, thing)
      await makes(cell)
      await changesTerms(cell)
      await changesMenus(cell)
    }
    const { body } = await app.ask('GET /api/openapi.json')
    const known = Object.entries(body.paths as Record<string, object>)
      .filter(([path]) => /^\/api\/(?:cms|menus)(?:\/|$)/.test(path) && !/^\/api\/cms\/(?:posts|links)/.test(path))
      .flatMap(([path, methods]) =>
        Object.keys(methods)
          .filter((one) => one !== 'parameters')
          .map((method) => `${method.toUpperCase()} ${path}`),
      )
    t.strictSame(
      known.filter((route) => !ask.asked.has(route)),
      [],
      'no route is left out',
    )
  }),
)
