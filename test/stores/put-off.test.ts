import { renameSync, rmSync, utimesSync } from 'node:fs'
import t, { type Test } from 'tap'
import { readDocument } from '#core/format/read.ts'
import { type Key, keyOf, keyText } from '#core/key.ts'
import { stampAt } from '#lib/files/stamp.ts'
import { Tree } from '#stores/files/disk/tree.ts'
import { FileRegistry } from '#stores/files/registry/file-registry.ts'
import { makeSite } from '#support/sites.ts'
import { plainTypes } from '#support/types.ts'

const post = (title: string) => `---\ntitle: ${title}\n---\nText.\n`

/** A registry of a site whose files others may be at work on; `told` has what became of its documents. */
function registryOf(t: Test, files: Readonly<Record<string, string>>) {
  const site = makeSite(files)
  t.teardown(() => site.remove())
  const told: string[] = []
  const others = { atWork: false, ended: 0, putOff: 0, isFollowing: false }
  const tell = (key: Key, head: unknown) => told.push(`${head ? '+' : '-'}${keyText(key)}`)
  const watch = () => {
    const { ended } = others
    return () => !others.atWork && ended === others.ended
  }
  const putOff = () => {
    others.putOff++
  }
  const registry = new FileRegistry(new Tree(site.root, 'content', '.cms'), plainTypes(), tell, {
    watch,
    putOff,
    isFollowing: () => others.isFollowing,
  })
  registry.walk('content')
  told.length = 0
  return { site, registry, told, others }
}

t.test('what is seen while others are at work is not taken in, but looked at again', async (t) => {
  const { site, registry, told, others } = registryOf(t, {
    'content/posts/gone.md': post('Gone'),
    'content/posts/empty.md': post('Empty'),
    'content/posts/half.md': post('Half'),
    'content/posts/same.md': post('Same'),
    'content/posts/2026/deep.md': post('Deep'),
    'content/notes/a.md': post('A'),
  })
  const before = [...registry.folders.contentEntries()].map(({ head }) => head.version)
  others.atWork = true
  rmSync(site.path('content/posts/gone.md'))
  site.write('content/posts/empty.md', '')
  site.write('content/posts/half.md', '---\ntitle: Other')
  site.write('content/posts/new.md', post('New'))
  rmSync(site.path('content/posts/2026'), { recursive: true })
  rmSync(site.path('content/notes'), { recursive: true })
  site.write('content/events/x.md', post('X'))
  const names = ['gone.md', 'empty.md', 'half.md', 'new.md', 'same.md']
  registry.lookAtSome('content/posts', names)
  for (const name of ['posts', 'notes', 'posts/2026', 'events', 'events/x.md']) registry.lookAtAny(`content/${name}`)
  registry.lookAt('content/posts/gone.md', true)
  registry.walk('content')
  t.same(told, [])
  t.same(
    [...registry.folders.contentEntries()].map(({ head }) => head.version),
    before,
  )
  t.same(registry.folders.kinds(), ['notes', 'posts'])
  t.ok(others.putOff > 0)
  others.atWork = false
  for (const left = [...registry.putOff.take()]; left.length > 0; ) left.push(...registry.lookAtAny(left.pop() ?? ''))
  t.equal(registry.putOff.size, 0)
  t.same(
    new Set(told),
    new Set(['-posts/gone', '+posts/empty', '+posts/half', '+posts/new', '-posts/2026~deep', '-notes/a', '+events/x']),
  )
  t.match(registry.head(keyOf('posts', 'half'))?.problem, { severity: 'error' }, 'one without its closing fence can’t be read')
})

t.test('nor is what they have ended with in the middle of a look', async (t) => {
  const { site, registry, told, others } = registryOf(t, { 'content/posts/a.md': post('A') })
  rmSync(site.path('content/posts/a.md'))
  Object.defineProperty(others, 'atWork', {
    get: () => {
      others.ended++
      return false
    },
  })
  registry.lookAt('content/posts/a.md')
  registry.walk('content')
  t.same([told, registry.putOff.take()], [[], new Set(['content/posts/a.md', 'content'])])
})

t.test('what is private is taken in at once', async (t) => {
  const { site, registry, told, others } = registryOf(t, { '.cms/tokens/a.yaml': 'name: A' })
  registry.walk('.cms/tokens')
  others.atWork = true
  rmSync(site.path('.cms/tokens/a.yaml'))
  registry.look('.cms/tokens')
  t.same([told, others.putOff], [['+.tokens/a', '-.tokens/a'], 0])
})

t.test('one whose date is to come is not waited for without end', (t) => {
  const path = 'content/posts/a.md'
  const { site, registry, others } = registryOf(t, { [path]: post('A') })
  others.isFollowing = true
  site.write(path, '')
  utimesSync(site.path(path), new Date(), new Date(Date.now() + 3_600_000))
  registry.lookAtAny(path)
  t.equal(registry.putOff.has(path), true)
  const later = Date.now() + 1000
  t.intercept(Date, 'now', { value: () => later })
  for (const one of registry.putOff.take()) registry.lookAtAny(one)
  t.equal(registry.putOff.has(path), false)
  t.end()
})

t.test('nor is one that was changed before the clock was set back', (t) => {
  const path = 'content/posts/a.md'
  const { site, registry, others } = registryOf(t, { [path]: post('A') })
  others.isFollowing = true
  site.write(path, '')
  const earlier = Date.now() - 3_600_000
  t.intercept(Date, 'now', { value: () => earlier })
  registry.lookAtAny(path)
  t.equal(registry.putOff.has(path), false)
  t.end()
})

t.test('a file that is emptied is what it was, until it is written anew or stays empty', (t) => {
  const path = 'content/posts/secret-launch.md'
  const draft = '---\ntitle: Launch\ndraft: true\n---\nText.\n'
  const { site, registry, told, others } = registryOf(t, { [path]: draft, 'content/posts/late.md': draft })
  const key = keyOf('posts', 'secret-launch')
  const status = () => registry.head(key)?.fields.status
  others.isFollowing = true
  site.write(path, '')
  registry.lookAtAny(path)
  registry.lookAt(path, true)
  registry.walk('content')
  t.same([status(), told, others.putOff > 0, registry.putOff.has(path)], ['draft', [], true, true])
  site.write(path, draft.replace('Launch', 'Lunch'))
  for (const one of registry.putOff.take()) registry.lookAtAny(one)
  t.same([registry.head(key)?.fields.title, told.length, registry.putOff.size], ['Lunch', 1, 0])
  others.isFollowing = false
  site.write('content/posts/late.md', '')
  registry.lookAtAny('content/posts/late.md')
  t.equal(registry.head(keyOf('posts', 'late'))?.fields.status, 'published', 'nobody would look again')
  t.end()
})

t.test('a data file that is saved in pieces is not public before the line that hides it', (t) => {
  const path = 'content/posts/secret.yaml'
  const text = 'title: Launch\nbody: Text.\n'
  const { site, registry, told, others } = registryOf(t, { [path]: `${text}status: draft\n` })
  const status = (id: string) => registry.head(keyOf('posts', id))?.fields.status
  others.isFollowing = true
  for (const begun of [text, `${text}status: published\n`]) {
    site.write(path, begun)
    registry.lookAtAny(path)
    t.same([status('secret'), registry.putOff.has(path)], ['draft', true])
  }
  site.write(path, `${text}unlisted: true\n`)
  registry.lookAtAny(path)
  t.equal(registry.putOff.has(path), true, 'what hides in another way is not asked about')
  for (const [n, begun] of ['', '\n', '-', '--'].entries()) {
    site.write(`content/posts/b${n}.md`, begun)
    registry.lookAtAny(`content/posts/b${n}.md`)
    t.equal(status(`b${n}`), undefined, JSON.stringify(begun))
  }
  site.write('content/posts/new.yaml', 'title: New\n')
  registry.lookAtAny('content/posts/new.yaml')
  t.same([status('new'), told], [undefined, []])
  site.write('content/posts/new.yaml', 'title: New\nstatus: draft\n')
  registry.lookAtAny('content/posts/new.yaml')
  t.equal(status('new'), 'draft')
  const later = Date.now() + 1000
  t.intercept(Date, 'now', { value: () => later })
  for (const one of registry.putOff.take()) registry.lookAtAny(one)
  t.equal(status('secret'), 'published', 'it stays so')
  t.end()
})

t.test('an editor that empties a file just after it was written here is waited for, and what was written is not', (t) => {
  const { site, registry, others } = registryOf(t, { 'content/posts/a.yaml': 'title: A\nstatus: draft\n' })
  others.isFollowing = true
  const status = () => registry.head(keyOf('posts', 'a'))?.fields.status
  const written = 'title: B\nstatus: draft\n'
  const of = (text: string) => {
    const bytes = Buffer.from(text)
    return readDocument(keyOf('posts', 'a'), registry.shape('posts'), bytes, { extension: 'yaml' }, 'content/posts/a.yaml')
  }
  for (const text of ['', 'title: B\n']) {
    site.write('content/posts/a.yaml', text)
    registry.lookAtWritten('content/posts', [{ name: 'a.yaml', made: undefined, document: of(written) }])
    t.strictSame([status(), registry.putOff.has('content/posts/a.yaml')], ['draft', true], JSON.stringify(text))
  }
  site.write('content/posts/a.yaml', 'title: C\n')
  registry.lookAtWritten('content/posts', [{ name: 'a.yaml', made: undefined, document: of('title: C\n') }])
  t.equal(status(), 'published')
  t.end()
})

t.test('a record that is moved away to be written anew keeps its folder meanwhile', (t) => {
  const path = 'content/posts/trip/index.md'
  const draft = '---\ntitle: Trip\ndraft: true\n---\nText.\n'
  const { site, registry, told, others } = registryOf(t, { [path]: draft, 'content/posts/trip/cat.jpg': 'cat' })
  const key = keyOf('posts', 'trip')
  const again = () => {
    for (const one of registry.putOff.take()) registry.lookAtAny(one)
  }
  others.isFollowing = true
  const saved = (text: string) => {
    renameSync(site.path(path), site.path(`${path}~`))
    registry.lookAtAny(path)
    registry.walk('content')
    again()
    t.same([registry.head(key)?.hasFolder, told, registry.putOff.has(path)], [true, [], true])
    site.write(path, text)
    again()
    t.same([registry.head(key)?.version === undefined, told.splice(0), registry.putOff.size], [false, ['+posts/trip'], 0])
  }
  saved(draft.replace('Trip', 'Ship'))
  const [now, second] = [Date.now(), 1000]
  renameSync(site.path(path), site.path(`${path}~`))
  registry.lookAtAny(path)
  renameSync(site.path(`${path}~`), site.path(path))
  again()
  t.intercept(Date, 'now', { value: () => now + second })
  saved(draft)
  rmSync(site.path(path))
  again()
  registry.lookAtAny(path)
  t.ok(registry.head(key), 'counted anew from when it went')
  t.intercept(Date, 'now', { value: () => now + 2 * second })
  again()
  t.same([registry.head(key), told, registry.putOff.size], [undefined, ['-posts/trip'], 0], 'it stays so')
  t.end()
})

t.test('one that went with its folder, has another file now or was removed here is gone at once', (t) => {
  const draft = '---\ntitle: Trip\ndraft: true\n---\nText.\n'
  const { site, registry, others } = registryOf(t, {
    'content/posts/a/index.md': draft,
    'content/posts/b/index.md': draft,
    'content/posts/c/index.md': draft,
    'content/posts/d.md': draft,
  })
  others.isFollowing = true
  rmSync(site.path('content/posts/a'), { recursive: true })
  registry.lookAtAny('content/posts/a/index.md')
  renameSync(site.path('content/posts/b/index.md'), site.path('content/posts/b.md'))
  registry.lookAtAny('content/posts/b.md')
  registry.lookAtAny('content/posts/b/index.md')
  rmSync(site.path('content/posts/c/index.md'))
  registry.lookAtWritten('content/posts/c', [{ name: 'index.md', made: undefined, document: undefined }])
  rmSync(site.path('content/posts/d.md'))
  registry.lookAtAny('content/posts/d.md')
  t.equal(registry.putOff.size, 0)
  const left = ['a', 'b', 'c', 'd'].filter((id) => registry.head(keyOf('posts', id)))
  t.same([left, registry.head(keyOf('posts', 'b'))?.hasFolder ?? false], [['b'], false])
  t.match(registry.head(keyOf('posts', 'b')), { fields: { status: 'draft' } })
  t.end()
})

t.test('one that was gone and is written here counts anew when it goes again', (t) => {
  const path = 'content/posts/trip/index.md'
  const draft = '---\ntitle: Trip\ndraft: true\n---\nText.\n'
  const { site, registry, others } = registryOf(t, { [path]: draft, 'content/posts/trip/cat.jpg': 'cat' })
  const key = keyOf('posts', 'trip')
  others.isFollowing = true
  let now = Date.now()
  t.intercept(Date, 'now', { value: () => now })
  const goes = () => {
    rmSync(site.path(path))
    registry.lookAtAny(path)
    registry.putOff.take()
  }
  goes()
  const document = readDocument(key, registry.shape('posts'), Buffer.from(draft), { extension: 'md', hasFolder: true }, path)
  site.write(`${path}~`, draft)
  const made = stampAt(site.path(`${path}~`))
  renameSync(site.path(`${path}~`), site.path(path))
  registry.lookAtWritten('content/posts/trip', [{ name: 'index.md', made, document }])
  now += 1000
  goes()
  t.ok(registry.head(key))
  now += 1000
  registry.lookAtAny(path)
  t.notOk(registry.head(key))
  t.end()
})
