import fs, { renameSync, rmSync, utimesSync } from 'node:fs'
import t, { type Test } from 'tap'
import type { Document } from '#core/document.ts'
import { readDocument } from '#core/format/read.ts'
import { keyOf } from '#core/key.ts'
import { stampAt } from '#lib/files/stamp.ts'
import { isAsMade, Tree } from '#stores/files/disk/tree.ts'
import { FileRegistry } from '#stores/files/registry/file-registry.ts'
import { replaceIn } from '#support/builtins.ts'
import { makeSite } from '#support/sites.ts'
import { openFiles } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const post = (title: string) => `---\ntitle: ${title}\n---\nText.\n`
const KEY = keyOf('posts', 'new')
const PATH = 'content/posts/new.md'

/** A file of `text` that was put in place as a write does it, and what the write says of it. */
function written(t: Test, text: string) {
  const site = makeSite({ 'content/posts/other.md': post('Other') })
  t.teardown(() => site.remove())
  const told: [title: unknown, written: Document | undefined][] = []
  const types = plainTypes()
  const registry = new FileRegistry(new Tree(site.root, 'content', '.cms'), types, (_key, head, _former, document) => {
    told.push([head?.fields.title, document])
  })
  registry.walk('content')
  told.length = 0
  site.write('content/posts/.beside', text)
  // Made a moment before it is named.
  utimesSync(site.path('content/posts/.beside'), 1, 1)
  const made = stampAt(site.path('content/posts/.beside'))
  renameSync(site.path('content/posts/.beside'), site.path(PATH))
  const document = readDocument(KEY, types.shape('posts'), Buffer.from(text), { extension: 'md' }, PATH)
  return { site, registry, told, file: { name: 'new.md', made, document } }
}

t.test('a file that was just written is known without reading it again', async (t) => {
  const { registry, told, file } = written(t, post('New'))
  const before = registry.readings
  registry.lookAtWritten('content/posts', [file])
  t.equal(registry.readings, before)
  t.same(told, [['New', file.document]])
  t.equal(registry.head(KEY)?.version, file.document.version)
  t.same(registry.lookAtAny(PATH), [])
  t.equal(registry.readings, before, 'nor when the watch tells of it')
})

t.test('one that somebody has saved since is read, be it of the same length', async (t) => {
  const { site, registry, told, file } = written(t, post('New'))
  const before = registry.readings
  site.write(PATH, post('Own'))
  registry.lookAtWritten('content/posts', [file])
  t.equal(registry.readings, before + 1)
  t.same(told, [['Own', undefined]])
})

t.test('one that is gone is not there', async (t) => {
  const { site, registry, told, file } = written(t, post('New'))
  rmSync(site.path(PATH))
  registry.lookAtWritten('content/posts', [file])
  t.same(told, [])
  t.equal(registry.head(KEY), undefined)
})

t.test('a file is as it was made where nothing but its name came later', async (t) => {
  const made = '10:1000000000:1000000000:7'
  t.equal(isAsMade(made, '10:1000000000:1004000000:7'), true)
  t.equal(isAsMade(made, '10:1000000000:1000000000:7'), false, 'in one tick of the clock it can’t be told')
  t.equal(isAsMade(made, '10:1004000000:1004000000:7'), false)
  t.equal(isAsMade(made, '11:1000000000:1004000000:7'), false)
  t.equal(isAsMade(made, '10:1000000000:1004000000:8'), false)
})

t.test('what was read or written is not read again to be changed', async (t) => {
  const { store, site, close } = await openFiles({ files: { 'content/posts/new.md': post('New') } })
  t.teardown(close)
  const { openSync } = fs
  let reads = 0
  const counting = (path: fs.PathLike, ...more: [fs.OpenMode]) => {
    if (String(path).endsWith('new.md')) reads++
    return openSync(path, ...more)
  }
  replaceIn(t, fs, { openSync: counting })
  const change = (title: string) => store.write([{ key: KEY, put: { set: { title } } }], { name: 'A', email: 'a@example.org' })
  await change('One')
  reads = 0
  await store.get(KEY)
  await change('Two')
  await change('Three')
  t.equal(reads, 0)
  site.write(PATH, post('Own'))
  await store.get(KEY)
  const [made] = await change('Four')
  t.ok(reads > 0, 'one that somebody has saved is')
  t.equal(made?.source?.toString(), post('Four'))
})
