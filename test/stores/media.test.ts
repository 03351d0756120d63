import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import t from 'tap'
import { keyOfFile } from '#core/files/layout.ts'
import { keyOf, parseKey } from '#core/key.ts'
import { InvalidInput } from '#lib/errors.ts'
import { TestClock } from '#support/clock.ts'
import { makeSite } from '#support/sites.ts'
import { eachStore, everyStore, openFiles, openFolder } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const ada = { name: 'Ada', email: 'ada@example.org' }
const photo = keyOf('media', '2026~photo.jpg')

t.test('a file is a sidecar by its name, and its id is the path of what it describes', async (t) => {
  const ids = {
    'media/photo.jpg.yaml': 'photo.jpg',
    'media/2026/11/photo.jpg.yaml': '2026~11~photo.jpg',
    'media/2026/index.jpg.yaml': '2026~index.jpg',
    'media/archive.tar.gz.yaml': 'archive.tar.gz',
    [`media/${'e\u0301te'}.jpg.yaml`]: '\u00e9te.jpg',
  }
  for (const [file, id] of Object.entries(ids)) t.same(keyOfFile(file), { kind: 'media', id }, file)
  const none = [
    'photo.jpg',
    'data.yaml',
    '2026/index.yaml',
    'notes.md',
    'a.b.md',
    'notes.md.yaml',
    'photo.jpg.yml',
    '_posts/a.jpg.yaml',
  ]
  for (const name of none) t.equal(keyOfFile(`media/${name}`), undefined, name)
  t.equal(parseKey('media', '2026~photo'), undefined, 'what has no ending is no media')
  t.equal(parseKey('media', '2026.11~photo'), undefined)
  t.throws(() => keyOf('media', 'photo'), new InvalidInput({ id: ['The id "photo" has no ending, as photo.jpg has one.'] }))
})

t.test('sidecars are documents as menus are', (t) =>
  everyStore(t, { files: { 'content/media/2026/photo.jpg.yaml': '# By hand\nalt: A cat\n' } }, async (t, { store, site }) => {
    t.same(await store.kinds(), ['media'])
    const found = await store.get(photo)
    t.match(found, { fields: { alt: 'A cat' }, body: '' })
    const [changed] = await store.write([{ key: photo, put: { set: { title: 'Cat', focal_point: { x: 0.5, y: 1 } } } }], ada)
    t.equal(changed?.source?.toString(), '# By hand\nalt: A cat\ntitle: Cat\nfocal_point:\n  x: 0.5\n  "y": 1\n')
    const { next } = await store.changes(undefined, 0)
    const moved = keyOf('media', 'index.jpg')
    const [there] = await store.write([{ key: moved, from: photo, put: {} }], ada)
    t.match(there, { key: moved, source: changed?.source ?? Buffer.of() })
    const back = keyOf('media', '2026~Photo.JPG')
    await store.write([{ key: back, from: moved, put: {} }], ada)
    if (site) t.ok(existsSync(site.path('content/media/2026/Photo.JPG.yaml')), 'one that is called index moves as others do')
    t.match(await store.get(back), { key: back })
    await store.write([{ key: back, remove: true }], ada)
    t.equal(await store.get(back), undefined)
    const { changes } = await store.changes(next, 100)
    t.same(
      changes.map(({ key, removed }) => `${removed ? '-' : '+'}${key.kind}/${key.id}`).sort(),
      ['+media/2026~Photo.JPG', '+media/index.jpg', '-media/2026~Photo.JPG', '-media/2026~photo.jpg', '-media/index.jpg'].sort(),
    )
    t.same(await store.problems(), [])
  }),
)

t.test('the history of sidecars', (t) =>
  eachStore(t, { history: true, model: true }, async (t, { store, clock }) => {
    await store.write([{ key: photo, put: { set: { alt: 'One' } }, expects: 'absent' }], ada)
    clock.advance(5000)
    await store.write([{ key: photo, put: { set: { alt: 'Two' } } }], ada)
    const { items = [] } = (await store.history(photo, {})) ?? {}
    t.same(
      items.map(({ action }) => action),
      ['updated', 'created'],
    )
    t.match(await store.at(photo, items[1]?.number ?? 0), { key: photo, fields: { alt: 'One' } })
    const past = await store.past('media', { at: { number: items[1]?.number ?? 0 } })
    t.match(past?.heads, [{ head: { key: photo, fields: { alt: 'One' } } }])
    t.match(await store.latest({}), [{ key: photo, action: 'updated' }])
    await store.write([{ key: photo, remove: true }], ada)
    t.equal((await store.history(photo, {}))?.items[0]?.action, 'deleted')
  }),
)

t.test('a sidecar that can not be read is a problem, also by its name', async (t) => {
  const files = { 'content/media/a.jpg.yaml': 'alt: [', 'content/media/a:b.jpg.yaml': 'alt: x' }
  const opened = await openFiles({ files })
  t.teardown(opened.close)
  t.match(await opened.store.problems('media'), [
    { file: 'content/media/a.jpg.yaml', line: 1, severity: 'error' },
    { file: 'content/media/a:b.jpg.yaml', hint: 'Rename it to "a-b.jpg.yaml".', severity: 'error' },
  ])
})

t.test('other files of media are no documents and no problems, whatever they are', async (t) => {
  const files = {
    'content/media/photo.jpg': 'bytes',
    'content/media/2026/data.yaml': 'a: [',
    'content/media/2026/notes.md': '---\nno: [front matter',
    'content/media/2026/a:b.md': 'no id',
    'content/media/.hidden.jpg.yaml': 'alt: x',
  }
  const site = makeSite(files)
  symlinkSync('notes.md', site.path('content/media/2026/link.md'))
  symlinkSync('notes.md', site.path('content/media/2026/link.jpg.yaml'))
  mkdirSync(site.path('content/media/real'))
  symlinkSync('real', site.path('content/media/link'))
  const store = await openFolder(site, plainTypes(), new TestClock())
  t.teardown(async () => {
    await store.close()
    site.remove()
  })
  t.same(await store.kinds(), ['media'])
  t.same((await store.heads('media', {})).items, [])
  t.match(await store.problems(), [
    { file: 'content/media/2026/link.jpg.yaml', severity: 'warning' },
    { file: 'content/media/link', severity: 'warning' },
  ])
  site.write('content/media/photo.jpg.yaml', 'alt: New\n')
  await store.reconcile()
  t.match(await store.get(keyOf('media', 'photo.jpg')), { fields: { alt: 'New' } }, 'one that comes is seen')
})
