import t from 'tap'
import { BUILT_IN_ROLES } from '#core/access/roles.ts'
import { keyOf } from '#core/key.ts'
import type { Change } from '#core/store.ts'
import { TestApp } from '#support/app.ts'
import { formOf } from '#support/form.ts'
import { eachStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'
import { pixels } from '../../media/pictures.ts'

const by = { name: 'Somebody', email: 'somebody@example.org' }
const features = { api: true, revisions: true, media: true, auth: true, docs: true }
const types = plainTypes({ posts: { fields: { cover: { type: 'media' } } } })

/** The column "media" of the table of roles. */
const WRITES: Readonly<Record<(typeof BUILT_IN_ROLES)[number], 'none' | 'own' | 'all'>> = {
  ...{ viewer: 'none', contributor: 'own', author: 'own', editor: 'all', admin: 'all', owner: 'all' },
}
const SEES_DRAFTS: readonly string[] = ['editor', 'admin', 'owner']

/** Files by whether they are the caller's own, and whether only somebody's draft uses them. */
const THINGS = [
  { name: 'own', isOwn: true, isHidden: false },
  { name: 'own-hidden', isOwn: true, isHidden: true },
  { name: 'other', isOwn: false, isHidden: false },
  { name: 'other-hidden', isOwn: false, isHidden: true },
] as const

type Thing = (typeof THINGS)[number]

const DONE = ['read', 'change', 'move', 'remove'] as const
const idOf = (role: string, what: string, { name }: Thing) => `${role}~${what}-${name}.jpg`

const JPEG = await pixels().jpeg().toBuffer()

t.test('every role on every route of media: what is its own, and what is not', { timeout: 300_000 }, (t) =>
  eachStore(t, { types, history: true }, async (t, { store, clock, ...opened }) => {
    const app = new TestApp({ store, clock, ...opened }, { config: { features } })
    const all = BUILT_IN_ROLES.flatMap((role) => DONE.flatMap((what) => THINGS.map((thing) => ({ role, what, thing }))))
    const sidecars = all.map(({ role, what, thing }): Change => {
      const uploaded_by = thing.isOwn ? role : 'somebody'
      return { key: keyOf('media', idOf(role, what, thing)), put: { set: { alt: 'First', uploaded_by } } }
    })
    await store.write(sidecars, by)
    const drafts = all.filter(({ thing }) => thing.isHidden)
    await store.write(
      drafts.map(({ role, what, thing }): Change => {
        const cover = idOf(role, what, thing).replaceAll('~', '/')
        const key = keyOf('posts', `${role}-${what}-${thing.name}`)
        return { key, put: { set: { title: 'Draft', status: 'draft', author: 'somebody', cover } } }
      }),
      by,
    )
    const asked = new Set<string>()
    for (const role of BUILT_IN_ROLES) {
      const user = await app.features.users.create({ email: `${role}@example.org`, handle: role, role }, by)
      const { token } = await app.features.auth.sessions.begin(user, 'code')
      const ask = (route: string, id: string, body?: unknown, ts = '') => {
        clock.advance(1)
        const [path = '', query] = route.split('?')
        asked.add(path)
        const url = `${path.replace('{id}', encodeURIComponent(id)).replace('{ts}', ts)}${query === undefined ? '' : `?${query}`}`
        return app.bare(url, { headers: { authorization: `Bearer ${token}` }, ...(body !== undefined && { body }) })
      }
      const send = (route: string, id: string) => {
        asked.add(route)
        const { body, headers } = formOf(['file', JPEG, `${role}.jpg`])
        return app.bare(route.replace('{id}', id), { body, headers: { ...headers, authorization: `Bearer ${token}` } })
      }
      const sees = ({ isOwn, isHidden }: Thing) => !isHidden || SEES_DRAFTS.includes(role) || isOwn
      const expected = (thing: Thing) => {
        if (WRITES[role] === 'none') return 403
        if (!sees(thing)) return 404
        return WRITES[role] === 'all' || thing.isOwn ? 200 : 403
      }
      for (const thing of THINGS) {
        const read = await ask('GET /api/media/{id}', idOf(role, 'read', thing))
        t.equal(read.status, sees(thing) ? 200 : 404, `${role} reads ${thing.name}`)
        if (read.status === 200)
          t.equal(read.body.data.used_by.length, thing.isHidden && SEES_DRAFTS.includes(role) ? 1 : 0, `${role}: ${thing.name}`)
      }
      const made = await send('POST /api/media', '')
      t.equal(made.status, WRITES[role] === 'none' ? 403 : 201, `${role} uploads`)
      if (made.status === 201) t.match(made.body.data, { id: `${role}.jpg`, uploaded_by: role })
      for (const thing of THINGS) {
        const replaced = await send('PUT /api/media/{id}/file', idOf(role, 'change', thing))
        t.equal(replaced.status, expected(thing), `${role} replaces the bytes of ${thing.name}`)
      }
      const { body } = await ask(`GET /api/media?folder=${role}&q=read&per_page=100`, '')
      const there = THINGS.filter(sees).map((thing) => idOf(role, 'read', thing))
      t.same(body.data.map(({ id }: { id: string }) => id).sort(), there.sort(), `${role}: list`)
      t.equal(body.meta.total, there.length)
      for (const thing of THINGS) {
        const id = idOf(role, 'read', thing)
        const page = await ask('GET /api/media/{id}/revisions', id)
        t.equal(page.status, sees(thing) ? 200 : 404, `${role}: revisions of ${thing.name}`)
        const ts = String((await store.history(keyOf('media', id), {}))?.items[0]?.number)
        for (const route of ['GET /api/media/{id}/revisions/{ts}', 'GET /api/media/{id}/revisions/{ts}/diff'])
          t.equal((await ask(route, id, undefined, ts)).status, sees(thing) ? 200 : 404, `${role}: ${route}`)
        const rolled = await ask('POST /api/media/{id}/rollback/{ts}', id, undefined, ts)
        t.equal(rolled.status, expected(thing), `${role} rolls ${thing.name} back`)
      }
      for (const thing of THINGS) {
        const away = await ask('POST /api/media/{id}/move', idOf(role, 'move', thing), { id: idOf(role, 'moved', thing) })
        t.equal(away.status, expected(thing), `${role} moves ${thing.name}`)
        const changed = idOf(role, 'change', thing)
        for (const method of ['PUT', 'PATCH'])
          t.equal(
            (await ask(`${method} /api/media/{id}`, changed, { alt: method })).status,
            expected(thing),
            `${role}: ${changed}`,
          )
        const isUsed = thing.isHidden && SEES_DRAFTS.includes(role)
        const removed = idOf(role, 'remove', thing)
        t.equal((await ask('DELETE /api/media/{id}', removed)).status, isUsed ? 409 : expected(thing), `${role}: ${removed}`)
        if (isUsed) t.equal((await ask('DELETE /api/media/{id}?force=true', removed)).status, 200)
      }
    }
    const { body } = await app.ask('GET /api/openapi.json')
    const known = Object.entries(body.paths as Record<string, object>)
      .filter(([path]) => path.startsWith('/api/media'))
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`))
      .filter((route) => !route.startsWith('PARAMETERS'))
    t.same(
      known.filter((route) => !asked.has(route)),
      [],
      'no route is left out',
    )
    await app.close()
  }),
)
