import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import fc from 'fast-check'
import type lunrType from 'lunr'
import t from 'tap'
import { keyOf, keyText } from '#core/key.ts'
import type { SearchQuery } from '#core/queries/search.ts'
import type { Change } from '#core/store.ts'
import { Analyser } from '#fulltext/analysis/analyser.ts'
import { queryOf } from '#fulltext/query.ts'
import { buildSegment, type Draft } from '#fulltext/segments/build.ts'
import { mergeSegments } from '#fulltext/segments/merge.ts'
import type { Segment } from '#fulltext/segments/segment.ts'
import { IndexWorker } from '#stores/files/searching/index-worker.ts'
import { FilesSearch } from '#stores/files/searching/search.ts'
import { SegmentIndex } from '#stores/files/searching/segment-index.ts'
import { Thread } from '#stores/files/searching/thread.ts'
import { TestClock } from '#support/clock.ts'
import { MemoryStore } from '#support/model.ts'
import { plainTypes } from '#support/types.ts'
import { draft, WORDS } from '../fulltext/drafts.ts'

const lunr = createRequire(import.meta.url)('lunr') as typeof lunrType
const ada = { name: 'Ada', email: 'ada@example.org' }
const english = new Analyser('en')

function memory(files: Readonly<Record<string, string>> = {}) {
  const [clock, types] = [new TestClock(), plainTypes()]
  return { clock, types, store: new MemoryStore({ types, clock, files }) }
}

function ask(text: string, rest: Partial<SearchQuery> = {}): SearchQuery {
  const readable = new Map([['posts', 'all' as const]])
  return { clauses: queryOf(text, english), readable, offset: 0, limit: undefined, ...rest }
}

function put(id: string, title: string, tags: string[], body: string): Change {
  return { key: keyOf('posts', id), put: { set: { title, slug: id, status: 'published', tags }, body } }
}

/** A whole Lunr of the same texts, given the same tokens. */
function wholeLunr(posts: ReadonlyMap<string, { title: string; tags: string[]; body: string }>): lunrType.Index {
  const builder = new lunr.Builder()
  const tokens = (text: string) => {
    const found: lunrType.Token[] = []
    english.read(text, ({ stem }) => {
      if (stem !== '') found.push(new lunr.Token(stem, {}))
    })
    return found
  }
  builder.tokenizer = ((text: string | string[] | null) =>
    [text ?? ''].flat().flatMap(tokens)) as unknown as typeof lunr.tokenizer
  builder.ref('id')
  builder.field('title', { boost: 10 })
  builder.field('tags', { boost: 5 })
  builder.field('body')
  for (const [id, post] of posts) builder.add({ id, ...post })
  return builder.build()
}

const words = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 12 })
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ id: fc.integer({ min: 0, max: 25 }), title: words, tags: words, body: words }) },
  { weight: 1, arbitrary: fc.record({ id: fc.integer({ min: 0, max: 25 }) }) },
)

t.test('scores are those of a whole Lunr, those of all words above the others, however documents came and went', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 60 }),
      fc.array(words, { minLength: 1, maxLength: 6 }),
      async (steps, queries) => {
        const { store, types, clock } = memory()
        const search = new FilesSearch({ store, types, clock, locale: 'en' })
        const posts = new Map<string, { title: string; tags: string[]; body: string }>()
        for (const one of steps) {
          const id = `p${one.id}`
          if ('title' in one) {
            const post = { title: one.title.join(' '), tags: [...new Set(one.tags)], body: `${one.body.join(' ')}` }
            posts.set(id, post)
            await store.write([put(id, post.title, post.tags, post.body)], ada)
          } else if (posts.delete(id)) await store.write([{ key: keyOf('posts', id), remove: true }], ada)
          await search.ready()
        }
        const index = wholeLunr(posts)
        for (const query of queries) {
          const { hits } = await search.find(ask(`${query.slice(0, 8).join(' ')} `))
          const asked = [...new Set(query.slice(0, 8))].length === query.slice(0, 8).length ? query.slice(0, 8) : undefined
          if (!asked) continue
          const stems = queryOf(`${asked.join(' ')} `, english).flatMap((clause) =>
            'stem' in clause && clause.stem !== '' ? [clause.stem] : [],
          )
          const whole =
            posts.size === 0 || stems.length === 0
              ? []
              : index.query((q) => stems.map((stem) => q.term(stem, { usePipeline: false })))
          const hasAll = ({ matchData }: lunrType.Index.Result) => stems.every((stem) => Object.hasOwn(matchData.metadata, stem))
          // What has all words is above the best of what has but some.
          const best = Math.max(0, ...whole.filter((one) => !hasAll(one)).map(({ score }) => score))
          const theirs = new Map(whole.map((one) => [one.ref, one.score + (hasAll(one) ? best : 0)]))
          // A word that nobody wrote stands for the nearest here, and for nothing there.
          if (stems.some((stem) => !hasStem(posts, stem))) continue
          t.equal(hits.length, theirs.size)
          for (const { key, score } of hits)
            t.ok(Math.abs(score - (theirs.get(key.id) ?? 0)) < 1e-9, `${query.join(' ')}: ${key.id}`)
        }
        await search.close()
      },
    ),
    { numRuns: 40 },
  )
})

function hasStem(posts: ReadonlyMap<string, { title: string; tags: string[]; body: string }>, stem: string): boolean {
  let has = false
  for (const { title, tags, body } of posts.values()) {
    english.read([title, ...tags, body].join(' '), (word) => {
      if (word.stem === stem) has = true
    })
  }
  return has
}

t.test('a thread makes and merges segments as they are made here', async (t) => {
  const thread = new Thread('en')
  t.teardown(() => thread.close())
  const drafts = Array.from({ length: 40 }, (_, n) => draft(n, `River ${n}`, ['stone'], `${'amber lamp '.repeat(n)} the gates`))
  const [made, here] = [await thread.build(drafts), buildSegment(drafts, english)]
  t.ok(Buffer.from(made.memory).equals(Buffer.from(here.memory)))
  const parts = [
    { segment: made, gone: Uint8Array.from({ length: 40 }, (_, n) => (n % 3 === 0 ? 1 : 0)) },
    { segment: buildSegment([draft(99, 'Stones', [], 'river')], english), gone: new Uint8Array(1) },
  ]
  t.ok(Buffer.from((await thread.merge(parts)).memory).equals(Buffer.from(mergeSegments(parts).memory)))
  await t.rejects(thread.build([{ facts: drafts[0]?.facts, text: null } as unknown as Draft]), 'and says what went wrong')
  t.equal((await thread.build(drafts)).size, 40, 'and goes on')
})

t.test('segments stay few, and documents found, while many are written one by one', async (t) => {
  const types = plainTypes()
  const worker = new IndexWorker(english, 'en')
  const index = new SegmentIndex(worker, types)
  t.teardown(() => worker.close())
  for (let n = 0; n < 300; n++) await index.add([draft(n % 170, `River ${n}`, [], 'amber')])
  for (let n = 0; n < 50; n++) index.remove(`posts/p${n}`)
  await index.tidied()
  t.equal(index.segments.size, 120)
  t.ok(index.segments.all.length <= 21, `${index.segments.all.length} segments`)
  t.equal(index.segments.factsOf('posts/p10')?.version, undefined)
  t.equal(index.segments.factsOf('posts/p100')?.version, (100).toString(16).padStart(40, '0'))
})

t.test('large segments are made at once, each of its own documents and as one after another', async (t) => {
  const worker = new IndexWorker(english, 'en')
  t.teardown(() => worker.close())
  const crowds = [0, 1, 2].map((n) => [
    draft(n, `Stone ${n}`, [], 'running rivers run to amber gates, dont they? '.repeat(900)),
    draft(n + 9, 'The gate', ['amber'], `river ${n}`),
  ])
  const made = await Promise.all(crowds.map((drafts) => worker.build(drafts)))
  const bytes = (segment: Segment) => Buffer.from(new Uint8Array(segment.memory)).toString('base64')
  t.strictSame(
    made.map(bytes),
    crowds.map((drafts) => bytes(buildSegment(drafts, english))),
  )
})

t.test('what was made is kept for the next run, and what changed meanwhile is found', async (t) => {
  const folder = join(t.testdir({ search: {} }), 'search')
  const { store, types, clock } = memory()
  const cache = { folder, fingerprint: 'one' }
  const open = (fingerprint = 'one') => new FilesSearch({ store, types, clock, locale: 'en', cache: { ...cache, fingerprint } })
  const ids = async (search: FilesSearch, text: string) => {
    await search.ready()
    return (await search.find(ask(text))).hits.map(({ key }) => keyText(key)).sort()
  }
  await store.write([put('a', 'River', [], 'amber'), put('b', 'Stone', [], 'amber'), put('c', 'Gate', [], 'amber')], ada)
  const first = open()
  t.strictSame(await ids(first, 'amber '), ['posts/a', 'posts/b', 'posts/c'])
  await first.close()
  const reads: string[] = []
  const get = store.get.bind(store)
  store.get = async (key) => {
    reads.push(key.id)
    return get(key)
  }
  await store.write(
    [put('d', 'Lamp', [], 'amber'), put('a', 'River', [], 'nothing'), { key: keyOf('posts', 'b'), remove: true }],
    ada,
  )
  const second = open()
  t.strictSame(await ids(second, 'amber '), ['posts/c', 'posts/d'])
  t.strictSame([...new Set(reads)].sort(), ['a', 'd'], 'only what differs is read')
  await second.close()
  reads.length = 0
  const third = open()
  t.strictSame(await ids(third, 'amber '), ['posts/c', 'posts/d'])
  t.strictSame(reads, [])
  await third.close()
  const other = open('two')
  await ids(other, 'amber ')
  t.strictSame([...new Set(reads)].sort(), ['a', 'c', 'd'], 'another configuration reads everything anew')
  await other.close()
})

t.test('what was kept and is broken in any way is made anew', async (t) => {
  const breaks: [string, (folder: string) => void][] = [
    ['a byte', (folder) => damage(folder, (bytes) => (bytes[bytes.length - 3] = (bytes[bytes.length - 3] ?? 0) ^ 1))],
    ['the end', (folder) => writeFileSync(segmentIn(folder), readFileSync(segmentIn(folder)).subarray(0, -9))],
    ['all of it', (folder) => writeFileSync(segmentIn(folder), '')],
    ['the index', (folder) => writeFileSync(join(folder, 'index.json'), '{"schema":1,')],
    ['what the index says', (folder) => writeFileSync(join(folder, 'index.json'), '{"schema":1,"name":"x","segments":7}')],
  ]
  for (const [what, broken] of breaks) {
    const folder = join(t.testdir({ search: {} }), 'search')
    const { store, types, clock } = memory()
    const open = () => new FilesSearch({ store, types, clock, locale: 'en', cache: { folder, fingerprint: 'one' } })
    await store.write([put('a', 'River', [], 'amber')], ada)
    const first = open()
    await first.ready()
    await first.find(ask('amber '))
    await first.close()
    broken(folder)
    const second = open()
    t.equal((await second.find(ask('amber '))).total, 1, what)
    await second.close()
  }
})

function segmentIn(folder: string): string {
  return join(folder, readdirSync(folder).find((name) => name.endsWith('.segment')) ?? '')
}

function damage(folder: string, change: (bytes: Buffer) => void): void {
  const bytes = readFileSync(segmentIn(folder))
  change(bytes)
  writeFileSync(segmentIn(folder), bytes)
}
