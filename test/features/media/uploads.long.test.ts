import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import type { User } from '#features/users/user.ts'
import { TestApp } from '#support/app.ts'
import { until } from '#support/cli.ts'
import { formOf } from '#support/form.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'
import { exifWith, jpegWith, pixels, SECRETS, segment } from '../../media/pictures.ts'

const features = { api: true, revisions: true, media: true, auth: true, docs: true }
const CSV = Buffer.from('a,b\r\n1,2\r\n')
const by = { name: 'Somebody', email: 'somebody@example.org' }
const checksumOf = (bytes: Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`
const PNG = await pixels().png().toBuffer()

function opened(t: Test, store: OpenedStore, media: object = {}): TestApp {
  const app = new TestApp(store, { config: { features, media } })
  t.teardown(() => app.close())
  return app
}

/** The bytes of a media file, wherever they are. */
async function bytesOf({ store, site, blobs }: OpenedStore, id: string): Promise<Buffer | undefined> {
  const path = site?.path(`content/media/${id.replaceAll('~', '/')}`)
  if (path !== undefined && existsSync(path)) return readFileSync(path)
  const document = await store.get(keyOf('media', id))
  const stream = document && (await blobs.open(String(document.fields.checksum).slice('sha256:'.length)))
  return stream && buffer(stream)
}

t.test('an upload becomes a media file', (t) =>
  eachStore(t, { history: true }, async (t, store) => {
    const app = opened(t, store)
    const form = formOf(['alt', 'A square'], ['file', PNG, 'My Picture.PNG'], ['folder', '2026/cats'], ['title', ''])
    const { status, body, headers } = await app.ask('POST /api/media', form)
    t.equal(status, 201)
    t.equal(headers.location, '/api/media/2026~cats~my-picture.png')
    t.match(headers.etag, /^"[0-9a-f]+-[0-9a-f]{8}"$/)
    t.match(body.data, {
      ...{ id: '2026~cats~my-picture.png', filename: 'my-picture.png', folder: '2026/cats', mime_type: 'image/png' },
      ...{ size: PNG.length, width: 40, height: 24, duration: null, checksum: checksumOf(PNG), alt: 'A square', title: null },
      ...{ declared: true, used_by: [], uploaded_by: null },
    })
    t.same((await app.ask('GET /api/media/2026~cats~my-picture.png')).body.data, body.data)
    t.same(await bytesOf(store, '2026~cats~my-picture.png'), PNG)
    const names = ['my picture.png', 'My-Picture.jpg', '../../my picture', 'C:\\x\\my picture.png']
    for (const [n, name] of names.entries()) {
      const again = await app.ask('POST /api/media', formOf(['file', PNG, name], ['folder', '/2026/cats/']))
      t.match([again.status, again.body?.data?.id], [201, `2026~cats~my-picture-${n + 2}.png`], name)
    }
    const odd = {
      'con.txt': 'file-con.txt',
      '.htaccess': 'file.txt',
      'data.csv': 'data.csv',
      'x.html': 'x.txt',
      '日本.csv': '日本.csv',
    }
    for (const [name, id] of Object.entries(odd)) {
      const made = await app.ask('POST /api/media', formOf(['file', CSV, name]))
      t.match([made.status, made.body?.data?.id], [201, id], name)
    }
    const long = await app.ask('POST /api/media', formOf(['file', CSV, `${'日'.repeat(300)}.csv`], ['folder', 'x'.repeat(150)]))
    t.equal(long.status, 201)
    t.ok(Buffer.byteLength(long.body.data.id) <= 200)
    t.equal((await store.store.history(keyOf('media', 'data.csv'), {}))?.items[0]?.message, 'Create media/data.csv')
  }),
)

t.test('a name that differs in case alone from a file that was put there by hand is another', (t) =>
  eachStore(t, { beside: { 'content/media/Photos/Cat.PNG': PNG, 'content/media/photos/dog.png': PNG } }, async (t, store) => {
    const app = opened(t, store)
    const made = await app.ask('POST /api/media', formOf(['file', PNG, 'cat.png'], ['folder', 'photos']))
    t.match([made.status, made.body?.data?.id], [201, 'photos~cat-2.png'])
    const moved = await app.ask('POST /api/media/photos~cat-2.png/move', { body: { id: 'photos~DOG.png' } })
    t.match([moved.status, moved.body?.message], [409, /is taken/])
    const cased = await app.ask('POST /api/media/photos~cat-2.png/move', { body: { id: 'photos~CAT-2.png' } })
    t.match([cased.status, cased.body?.data?.id], [200, 'photos~CAT-2.png'])
    t.same(await bytesOf(store, 'photos~CAT-2.png'), PNG)
  }),
)

t.test('many at once get names of their own', (t) =>
  eachStore(t, {}, async (t, store) => {
    const app = opened(t, store)
    await app.token()
    const asked = Array.from({ length: 24 }, () => app.ask('POST /api/media', formOf(['file', CSV, 'a.csv'])))
    const ids = (await Promise.all(asked)).map(({ body }) => body.data?.id)
    t.equal(new Set(ids).size, 24)
    t.notOk(ids.includes(undefined))
  }),
)

t.test('what is not taken leaves nothing', (t) =>
  eachStore(t, {}, async (t, store) => {
    const app = opened(t, store, { max_size: '100kB', max_pixels: 500, types: ['png', 'txt', 'csv', 'jpeg'] })
    const whole = formOf(['file', CSV, 'a.csv'])
    const cut = (share: number) => ({ ...whole, body: whole.body.subarray(0, Math.floor(whole.body.length * share)) })
    const gif = await pixels().gif().toBuffer()
    const refused: [object, number, object][] = [
      [formOf(['alt', 'x']), 422, { errors: { file: [/missing/] } }],
      [formOf(['file', 'no file']), 422, { errors: { file: [/with a filename/] } }],
      [formOf(['file', CSV, 'a.csv'], ['file', CSV, 'b.csv']), 422, { errors: { file: [/twice/] } }],
      [formOf(['file', CSV, 'a.csv'], ['picture', CSV, 'b.csv']), 422, { errors: { picture: [/its field is file/] } }],
      [formOf(['file', CSV, 'a.csv'], ['width', '1'], ['alt', 'x']), 422, { errors: { width: [/no field "width"/] } }],
      [formOf(['file', CSV, 'a.csv'], ['alt', 'x'], ['alt', 'y']), 422, { errors: { alt: [/twice/] } }],
      [formOf(['file', CSV, 'a.csv'], ['title', 'x'.repeat(201)]), 422, { errors: { title: [/200/] } }],
      [formOf(['file', CSV, 'a.csv'], ['alt', 'x'.repeat(70_000)]), 422, { errors: { alt: [/too long/] } }],
      [formOf(['file', CSV, 'a.csv'], ['folder', '../x']), 422, { errors: { folder: [/begins with a dot/] } }],
      [formOf(['file', CSV, 'a.csv'], ['folder', '_w640']), 422, { errors: { folder: [/underscore/] } }],
      [formOf(['file', CSV, 'a.csv'], ['folder', 'x'.repeat(161)]), 422, { errors: { folder: [/160 bytes/] } }],
      [formOf(['file', Buffer.of(), 'a.csv']), 422, { errors: { file: [/empty/] } }],
      [formOf(['file', PNG.subarray(0, 60), 'a.png']), 422, { errors: { file: [/not|ends/] } }],
      [formOf(['file', PNG, 'a.png']), 422, { errors: { file: [/has 960 pixels; at most 500/] } }],
      [formOf(['file', Buffer.alloc(100_001, 'x'), 'a.txt']), 413, { message: 'The file is larger than 100kB.' }],
      [formOf(['file', Buffer.alloc(3_000_000, 'x'), 'a.txt']), 413, { message: 'The file is larger than 100kB.' }],
      [formOf(['file', gif, 'a.gif']), 415, { message: /^This is gif, which is not taken here: taken are png/ }],
      [formOf(['file', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'a.png']), 415, { message: /SVG/i }],
      [formOf(['file', '<!doctype html><script>', 'a.jpg']), 415, {}],
      [{ body: '{}', headers: { 'content-type': 'application/json' } }, 415, {}],
      [{ body: whole.body, headers: { 'content-type': 'multipart/form-data' } }, 415, { message: /boundary/ }],
      [{ ...whole, headers: { ...whole.headers, 'content-encoding': 'gzip' } }, 415, {}],
      [formOf(...Array.from({ length: 30 }, (_, n) => [`x${n}`, 'x'] as const)), 422, {}],
      ...Array.from({ length: 9 }, (_, n): [object, number, object] => [cut((n + 1) / 10), 422, {}]),
    ]
    for (const [form, status, answer] of refused) {
      const found = await app.ask('POST /api/media', form)
      t.match({ status: found.status, ...found.body }, { status, ...answer }, JSON.stringify(answer))
    }
    t.equal((await app.ask('GET /api/media')).body.meta.total, 0)
    t.equal(await store.blobs.sweep(store.clock.now() + 1, () => false), 0, 'and no bytes')
    t.equal((await app.ask('POST /api/media', whole)).status, 201)
  }),
)

t.test('places and names of people are cut out before anything is kept', (t) =>
  eachStore(t, { history: true }, async (t, store) => {
    const photo = await jpegWith(segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), exifWith(6)])))
    const app = opened(t, store)
    const { body } = await app.ask('POST /api/media', formOf(['file', photo, 'photo.jpg']))
    t.match(body.data, { id: 'photo.jpg', width: 24, height: 40 })
    const bytes = await bytesOf(store, 'photo.jpg')
    t.equal(body.data.checksum, checksumOf(bytes ?? Buffer.of()))
    for (const secret of [...SECRETS, '51.5007 N']) {
      t.ok(photo.includes(secret))
      t.notOk(bytes?.includes(secret))
    }
    t.equal(await store.blobs.open(checksumOf(photo).slice(7)), undefined, 'what was sent is gone')
    if (store.site) for (const file of filesBelow(store.site.root)) t.notOk(readFileSync(file).includes('Ada Lovelace'), file)
    const authorization = `Bearer ${await app.token()}`
    const authorized = (form: ReturnType<typeof formOf>) => ({ ...form, headers: { ...form.headers, authorization } })
    const keeping = opened(t, store, { keep_metadata: true })
    const kept = await keeping.bare('POST /api/media', authorized(formOf(['file', photo, 'kept.jpg'])))
    t.equal(kept.body.data.checksum, checksumOf(photo))
    await app.ask('POST /api/media', formOf(['file', photo, 'again.jpg']))
    t.same(await bytesOf(store, 'kept.jpg'), photo, "another's stay where they are named")
  }),
)

function filesBelow(folder: string): string[] {
  const all = readdirSync(folder, { recursive: true, withFileTypes: true })
  return all.filter((entry) => entry.isFile()).map(({ parentPath, name }) => `${parentPath}/${name}`)
}

t.test('a file is replaced under its address', (t) =>
  eachStore(t, { history: true }, async (t, store) => {
    const app = opened(t, store)
    const first = await app.ask('POST /api/media', formOf(['file', CSV, 'a.csv'], ['alt', 'Numbers']))
    const more = Buffer.from('a,b\n3,4\n5,6\n')
    const stale = await app.ask('PUT /api/media/a.csv/file', {
      ...formOf(['file', more, 'x.csv']),
      headers: { ...formOf().headers, 'if-match': '"none"' },
    })
    t.equal(stale.status, 412)
    const headers = { ...formOf().headers, 'if-match': first.headers.etag ?? '' }
    const {
      status,
      body,
      headers: answered,
    } = await app.ask('PUT /api/media/a.csv/file', { ...formOf(['file', more, 'x.csv']), headers })
    t.equal(status, 200)
    t.match(body.data, { id: 'a.csv', size: more.length, checksum: checksumOf(more), alt: 'Numbers' })
    t.not(answered.etag, first.headers.etag)
    t.same(await bytesOf(store, 'a.csv'), more)
    const revisions = await store.store.history(keyOf('media', 'a.csv'), {})
    t.same(
      revisions?.items.map(({ action }) => action),
      ['updated', 'created'],
    )
    t.equal((await app.ask('PUT /api/media/a.csv/file', formOf(['file', more, 'x.csv']))).status, 200)
    t.equal((await store.store.history(keyOf('media', 'a.csv'), {}))?.total, 2, 'the same again changes nothing')
    t.match(await app.ask('PUT /api/media/a.csv/file', formOf(['file', PNG, 'a.csv'])), {
      status: 415,
      body: { message: 'The file is png, and .csv is to stay under this address.' },
    })
    t.match(await app.ask('PUT /api/media/a.csv/file', formOf(['file', more, 'a.csv'], ['alt', 'x'])), {
      status: 422,
      body: { errors: { alt: [/there are none/] } },
    })
    t.equal((await app.ask('PUT /api/media/none.csv/file', formOf(['file', more, 'a.csv']))).status, 404)
    t.equal((await app.ask('PUT /api/media/none/file', formOf(['file', more, 'a.csv']))).status, 404)
  }),
)

t.test('an upload that is sent again is answered as the first time', (t) =>
  eachStore(t, {}, async (t, store) => {
    const photo = await jpegWith(segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), exifWith(1)])))
    const app = opened(t, store)
    const send = (bytes: Buffer, name = 'a.jpg') => {
      const form = formOf(['file', bytes, name])
      return app.ask('POST /api/media', { ...form, headers: { ...form.headers, 'idempotency-key': 'k' } })
    }
    const [first, second] = [await send(photo), await send(photo)]
    t.same([second.status, second.body, second.headers.location], [201, first.body, first.headers.location])
    t.equal((await app.ask('GET /api/media')).body.meta.total, 1)
    t.match(await send(CSV), { status: 422, body: { errors: { 'Idempotency-Key': [/another request/] } } })
    t.equal((await send(photo, 'b.jpg')).status, 422)
    t.ok(await bytesOf(store, 'a.jpg'))
  }),
)

t.test('what was written is answered also where only drafts use it', (t) =>
  eachStore(t, { history: true, types: plainTypes({ posts: {} }) }, async (t, store) => {
    const app = opened(t, store)
    const draft = (path: string, status = 'draft') => {
      const put = { set: { title: 'Plan', status }, body: `![](/media/${path})` }
      return { key: keyOf('posts', path.replace('.', '-')), put }
    }
    const drafts = ['plan.csv', 'new.csv', 'once.csv'].map((path) => draft(path))
    await store.store.write([...drafts, draft('live.csv', 'published')], by)
    const one = { as: 'content:read,media:write' }
    const pages = { as: 'content:read,content:drafts,media:write', types: ['pages'] }
    const upload = (name: string, as: object, headers = {}) => {
      const form = formOf(['file', CSV, name])
      return app.ask('POST /api/media', { ...form, headers: { ...form.headers, ...headers }, ...as })
    }
    const made = await upload('plan.csv', one)
    t.match(made, { status: 201, body: { data: { id: 'plan.csv', used_by: [] } } }, made.text)
    t.equal((await app.ask('GET /api/media/plan.csv', one)).status, 404, 'then it is not there for them')
    t.match(await upload('live.csv', pages), { status: 201, body: { data: { used_by: [] } } })
    const key = { 'idempotency-key': 'one' }
    const [first, again] = [await upload('once.csv', one, key), await upload('once.csv', one, key)]
    t.match([first.status, again.status, again.text], [201, 201, first.text])

    await upload('moving.csv', one)
    const moved = await app.ask('POST /api/media/moving.csv/move', { body: { id: 'new.csv' }, ...one })
    t.match(moved, { status: 200, body: { data: { id: 'new.csv', used_by: [] }, meta: { rewritten: 0 } } }, moved.text)
    t.same((await app.ask('GET /api/media/new.csv')).body.data.used_by, [{ type: 'posts', id: 'new-csv' }])

    const other = Buffer.from('a,b\r\n3,4\r\n')
    await upload('free.csv', one)
    const put = await app.ask('PUT /api/media/free.csv/file', { ...formOf(['file', other, 'x.csv']), ...one })
    t.match(put, { status: 200, body: { data: { checksum: checksumOf(other), used_by: [] } } }, put.text)
    t.equal((await app.ask('PUT /api/media/plan.csv/file', { ...formOf(['file', other, 'x.csv']), ...one })).status, 404)
  }),
)

t.test('an upload that is broken off leaves nothing', (t) =>
  eachStore(t, {}, async (t, store) => {
    const steps: string[] = []
    const watched = new Proxy(store.blobs, {
      get: (blobs, name) => {
        if (name !== 'put') return Reflect.get(blobs, name).bind(blobs)
        return (content: AsyncIterable<Uint8Array>, max: number) => {
          steps.push('begun')
          return blobs.put(content, max).finally(() => steps.push('ended'))
        }
      },
    })
    const app = new TestApp(store, { config: { features }, deps: { blobs: () => watched } })
    t.teardown(() => app.close())
    const token = await app.token()
    await app.app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = app.app.server.address() as AddressInfo
    const { body, headers } = formOf(['file', Buffer.alloc(1_000_000, 'x'), 'a.txt'])
    const socket = connect(port, '127.0.0.1')
    const head = `POST /api/media HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${body.length}\r\n`
    socket.write(`${head}Content-Type: ${headers['content-type']}\r\n\r\n`)
    socket.write(body.subarray(0, 900_000))
    const reached = (step: string) =>
      until(
        async () => steps.includes(step),
        (is) => is,
      )
    await reached('begun')
    socket.destroy()
    await reached('ended')
    t.equal((await app.ask('GET /api/media')).body.meta.total, 0)
    t.equal(await store.blobs.sweep(store.clock.now() + 1, () => false), 0)
    if (store.site) t.same(filesBelow(store.site.path('.cms/media')), [])
  }),
)

t.test('who may upload', (t) =>
  eachStore(t, {}, async (t, store) => {
    const app = opened(t, store)
    t.equal((await app.bare('POST /api/media', formOf(['file', CSV, 'a.csv']))).status, 401)
    t.equal((await app.ask('POST /api/media', { ...formOf(['file', CSV, 'a.csv']), as: 'content:read' })).status, 403)
    t.equal(
      (await app.ask('POST /api/media', { ...formOf(['file', CSV, 'a.csv']), as: 'media:write' })).status,
      403,
      'who may not read',
    )
    const ask = async (role: string) => {
      const user = await app.features.users.create({ email: `${role}@example.org`, handle: role, role }, by)
      const { token } = await app.features.auth.sessions.begin(user, 'code')
      return (request: string, form: { body: Buffer; headers: Record<string, string> }) =>
        app.bare(request, { ...form, headers: { ...form.headers, authorization: `Bearer ${token}` } })
    }
    const [viewer, author, editor] = [await ask('viewer'), await ask('author'), await ask('editor')]
    t.equal((await viewer('POST /api/media', formOf(['file', CSV, 'v.csv']))).status, 403)
    t.match(await author('POST /api/media', formOf(['file', CSV, 'a.csv'])), {
      status: 201,
      body: { data: { uploaded_by: 'author' } },
    })
    t.match(await editor('POST /api/media', formOf(['file', CSV, 'e.csv'])), {
      status: 201,
      body: { data: { uploaded_by: 'editor' } },
    })
    const other = formOf(['file', Buffer.from('x,y\n'), 'x.csv'])
    t.equal((await author('PUT /api/media/a.csv/file', other)).status, 200, 'their own')
    t.equal((await author('PUT /api/media/e.csv/file', other)).status, 403)
    t.equal((await viewer('PUT /api/media/e.csv/file', other)).status, 403)
    t.match(await editor('PUT /api/media/a.csv/file', other), { status: 200, body: { data: { uploaded_by: 'author' } } })
  }),
)

t.test('uploads are counted by themselves', (t) =>
  eachStore(t, {}, async (t, store) => {
    const app = new TestApp(store, { config: { features, throttle: { uploads: '2,1' } } })
    t.teardown(() => app.close())
    const send = async () => (await app.ask('POST /api/media', formOf(['file', CSV, 'a.csv']))).status
    t.same([await send(), await send(), await send()], [201, 201, 429])
    t.equal((await app.ask('GET /api/media')).status, 200)
  }),
)

t.test('the former address of a file that moved stays its own', (t) =>
  eachStore(t, { history: true }, async (t, store) => {
    const app = opened(t, store)
    const upload = async (name: string, as: User) =>
      (await app.askAs(as, 'POST /api/media', formOf(['file', CSV, name]))).body.data?.id
    const user = (name: string, role: string) => app.features.users.create({ name, email: `${name}@example.org`, role }, by)
    const [ed, bob] = [await user('ed', 'editor'), await user('bob', 'contributor')]
    const move = async (as: User, id: string, to: string) =>
      (await app.askAs(as, `POST /api/media/${id}/move`, { body: { id: to } })).status
    t.equal(await upload('logo.csv', ed), 'logo.csv')
    t.equal(await move(ed, 'logo.csv', 'brand.csv'), 200)
    t.equal(await upload('logo.csv', bob), 'logo-2.csv', 'an upload passes over it')
    t.equal(await move(bob, 'logo-2.csv', 'logo.csv'), 409)
    t.match(await app.bare('GET /media/logo.csv'), { status: 308, headers: { location: '/media/brand.csv' } })
    t.equal(await move(bob, 'logo-2.csv', 'mine.csv'), 200)
    t.equal(await move(bob, 'mine.csv', 'logo-2.csv'), 200, 'its own is free for it')
    t.equal(await move(ed, 'logo-2.csv', 'logo.csv'), 200, 'who may change all gives it to another')
    t.equal(await upload('old.csv', bob), 'old.csv')
    t.equal((await app.askAs(bob, 'DELETE /api/media/old.csv')).status, 200)
    const [, made] = (await app.askAs(bob, 'GET /api/media/old.csv/revisions')).body.data
    t.equal(await move(ed, 'brand.csv', 'old.csv'), 200)
    t.equal(await move(ed, 'old.csv', 'brand.csv'), 200)
    const back = await app.askAs(bob, `POST /api/media/old.csv/rollback/${made.ts}`)
    t.match([back.status, back.body.message], [409, '"old.csv" is a former address of another media file.'])
  }),
)
