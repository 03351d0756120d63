import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import type { Blobs } from '#core/media/blobs.ts'
import type { Store } from '#core/store.ts'
import { TestApp } from '#support/app.ts'
import { formOf } from '#support/form.ts'
import { eachStore, openNode, openPostgres } from '#support/stores.ts'
import { exifWith, jpegWith, pixels, segment } from '../../media/pictures.ts'

const features = { api: true, media: true }
const PNG = await pixels().png().toBuffer()
const PHOTO = await jpegWith(segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), exifWith(6)])))
const refOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

t.test('an upload that fails takes nothing from one of the same bytes on another node', async (t) => {
  const first = await openPostgres({})
  t.teardown(first.close)
  const second = await openNode(t, first)
  const other = new TestApp(second, { config: { features }, deps: { isShared: true } })
  t.teardown(() => other.close())
  const failing: number[] = []
  const authorization = `Bearer ${await other.token()}`
  // Just before the first node writes its document, the second refuses the same file.
  const store = new Proxy(first.store as Store, {
    get: (target, name) => {
      const value = Reflect.get(target, name)
      if (name !== 'write') return typeof value === 'function' ? value.bind(target) : value
      return async (...given: Parameters<Store['write']>) => {
        for (const text of ['x'.repeat(10_001), '']) {
          const form = formOf(['file', PNG, 'a.png'], ['alt', text], ...(text === '' ? [['none', 'x'] as const] : []))
          failing.push((await other.bare('POST /api/media', { ...form, headers: { ...form.headers, authorization } })).status)
        }
        return target.write(...given)
      }
    },
  })
  const app = new TestApp(first, { config: { features }, deps: { isShared: true, store } })
  t.teardown(() => app.close())
  const form = formOf(['file', PNG, 'a.png'])
  const made = await app.bare('POST /api/media', { ...form, headers: { ...form.headers, authorization } })
  t.same([made.status, failing], [201, [422, 422]])
  t.same((await app.app.inject('/media/a.png')).rawPayload, PNG)
  t.equal((await other.ask('DELETE /api/media/a.png')).status, 200)
  const refused = formOf(['file', PHOTO, 'b.jpg'], ['none', 'x'])
  t.equal((await other.ask('POST /api/media', refused)).status, 422)
  t.equal(await first.blobs.open(refOf(PHOTO)), undefined, 'what nobody else is at goes')
})

t.test('bytes that go away while they are put are asked for again', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const blobs: Blobs = new Proxy(opened.blobs, {
      get: (target, name) => {
        if (name !== 'put') return Reflect.get(target, name).bind(target)
        return async (...given: Parameters<Blobs['put']>) => {
          const stored = await target.put(...given)
          await target.remove(stored.ref)
          return stored
        }
      },
    })
    const app = new TestApp(opened, { config: { features }, deps: { blobs: () => blobs } })
    t.teardown(() => app.close())
    t.match(await app.ask('POST /api/media', formOf(['file', PNG, 'a.png'])), { status: 503, headers: { 'retry-after': '1' } })
    t.equal((await app.ask('GET /api/media')).body.meta.total, 0)
  }),
)

t.test('a sidecar that can not be read keeps the bytes it names, and no others', (t) =>
  eachStore(t, { files: { 'content/media/a.png.yaml': `checksum: sha256:${refOf(PNG)}\nalt: [\n` } }, async (t, opened) => {
    const app = new TestApp(opened, { config: { features } })
    t.teardown(() => app.close())
    t.not((await opened.store.problems()).length, 0)
    for (const bytes of [PNG, PHOTO])
      t.equal((await app.ask('POST /api/media', formOf(['file', bytes, 'b'], ['none', 'x']))).status, 422)
    t.ok(await opened.blobs.open(refOf(PNG)))
    t.equal(await opened.blobs.open(refOf(PHOTO)), undefined)
  }),
)

t.test('nobody has to wait while an upload that became a file is ended', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const statuses: number[] = []
    let authorization = ''
    let isFirst = true
    // As the first is ended, it looks whether its bytes are named: the second comes then.
    const store = new Proxy(opened.store as Store, {
      get: (target, name) => {
        const value = Reflect.get(target, name)
        if (name !== 'heads') return typeof value === 'function' ? value.bind(target) : value
        return async (...given: Parameters<Store['heads']>) => {
          if (isFirst && given[1].where?.some(({ field }) => field === 'checksum')) {
            isFirst = false
            const form = formOf(['file', PNG, 'b.png'])
            statuses.push((await app.bare('POST /api/media', { ...form, headers: { ...form.headers, authorization } })).status)
          }
          return target.heads(...given)
        }
      },
    })
    const app: TestApp = new TestApp(opened, { config: { features }, deps: { store } })
    t.teardown(() => app.close())
    authorization = `Bearer ${await app.token()}`
    const form = formOf(['file', PNG, 'a.png'])
    t.equal((await app.bare('POST /api/media', { ...form, headers: { ...form.headers, authorization } })).status, 201)
    t.same(statuses, [201])
  }),
)

t.test('an upload that was written is answered where what is left of it can not be removed', (t) =>
  eachStore(t, { history: true }, async (t, opened) => {
    const tried = new Set<string>()
    const failing: Blobs = new Proxy(opened.blobs, {
      get: (target, name) => {
        if (name !== 'remove') return Reflect.get(target, name).bind(target)
        return async (ref: string) => {
          tried.add(ref)
          throw new Error('The bucket is away.')
        }
      },
    })
    const logged: unknown[] = []
    const log = (error: unknown) => logged.push((error as Error).message)
    const app = new TestApp(opened, { config: { features }, deps: { blobs: () => failing, log } })
    t.teardown(() => app.close())
    const form = formOf(['file', PHOTO, 'a.jpg'])
    t.equal((await app.ask('POST /api/media', { ...form, headers: { ...form.headers, 'idempotency-key': 'once' } })).status, 201)
    const put = await app.ask('PUT /api/media/a.jpg/file', form)
    t.equal(put.status, 200, put.text)
    t.equal((await app.ask('POST /api/media', formOf(['file', PNG, 'b.png'], ['none', 'x']))).status, 422, 'its own error')
    t.same([...tried].sort(), [refOf(PHOTO), refOf(PNG)].sort())
    t.ok(logged.length >= 2 && logged.every((message) => message === 'The bucket is away.'))
  }),
)

t.test('an upload that makes nothing is gone before it is answered', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const slow: Blobs = new Proxy(opened.blobs, {
      get: (target, name) => {
        if (name !== 'remove') return Reflect.get(target, name).bind(target)
        return async (ref: string) => {
          for (let turn = 0; turn < 100; turn++) await setImmediate()
          await target.remove(ref)
        }
      },
    })
    const app = new TestApp(opened, { config: { features }, deps: { blobs: () => slow } })
    t.teardown(() => app.close())
    const form = formOf(['file', PHOTO, 'a.jpg'])
    const headers = { ...form.headers, 'idempotency-key': 'once' }
    for (const times of ['first', 'again']) {
      t.equal((await app.ask('POST /api/media', { ...form, headers })).status, 201, times)
      t.equal(await opened.blobs.open(refOf(PHOTO)), undefined, `${times}: what was cut is not kept as it came`)
    }
  }),
)
