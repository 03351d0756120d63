import fc from 'fast-check'
import t from 'tap'
import type { Head } from '#core/document.ts'
import { keyOf, keyText } from '#core/key.ts'
import { declaredTerms } from '#core/terms/tree.ts'
import { type Entry, entryOf } from '#features/site/outline/entry.ts'
import { isInOutline, isShown, type Outline, outlineAfter, outlineOf, sectionIn } from '#features/site/outline/outline.ts'
import type { Section } from '#features/site/outline/sections.ts'
import { treeOf } from '#features/site/outline/tree.ts'
import { LayeredMap } from '#lib/layered-map.ts'
import { runsOf } from '#support/long.ts'
import { plainTypes } from '#support/types.ts'

const types = plainTypes({ docs: { sort: 'weight,title' }, notes: { permalink: '/posts/{slug}' } })
const NOW = Date.parse('2026-06-01T12:00:00Z')
const LIVE_ONLY = { drafts: false, future: false }

const term = (id: string, fields: Record<string, string>): Head => ({ ...head('taxonomy/x', id), fields })
const declared = new Map(
  types.taxonomies().map((taxonomy) => {
    const heads = [term('a', { name: 'The a', parent: 'b' }), term('c', { name: 'C', parent: 'a', description: 'It.' })]
    return [taxonomy.name, declaredTerms(taxonomy, heads)]
  }),
)
const place = { declared, sizes: { perPage: 2, feedLimit: 3 } }

function head(kind: string, id: string): Head {
  return { ...({} as Head), key: keyOf(kind, id), version: 'v' as Head['version'], fields: {} }
}

const IDS = ['index', 'a', 'b', 'sub', 'sub~a', 'sub~b', 'sub~deep', 'sub~deep~a', 'c']
const some = <T>(...values: readonly T[]) => fc.option(fc.constantFrom(...values), { nil: undefined, freq: 2 })
const drawn = fc.record({
  kind: fc.constantFrom('pages', 'posts', 'docs', 'notes'),
  id: fc.constantFrom(...IDS),
  isGone: fc.boolean(),
  version: fc.constantFrom('v', 'w', 'x'),
  title: fc.constantFrom('A', 'B', 'C'),
  status: fc.constantFrom('published', 'published', 'published', 'draft'),
  published_at: some('2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z', '2026-07-01T00:00:00Z'),
  expires_at: some('2026-02-01T00:00:00Z', '2026-08-01T00:00:00Z'),
  slug: some('a', 'other', 'docs', 'tags'),
  permalink: some('/own', '/tags/a', '/docs', '/sub', '/', '/posts'),
  aliases: some(['/old'], ['/own', '/older']),
  tags: some<readonly string[]>(['a'], ['b', 'a'], ['c'], ['d d']),
  named: some<readonly string[]>(['A'], ['D D'], ['d  D']),
  weight: some(1, 2),
  unlisted: fc.boolean(),
  isSection: fc.boolean(),
  hasFolder: fc.boolean(),
})
type Drawn = typeof drawn extends fc.Arbitrary<infer One> ? One : never

function recordOf({ kind, id, version, isSection, hasFolder, named, isGone: _, ...fields }: Drawn): Entry {
  const type = types.get(kind)
  if (!type) throw new Error(kind)
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== false))
  const own = { ...head(kind, id), version: version as Head['version'], fields: given as Head['fields'] }
  return entryOf(
    type,
    {
      ...own,
      ...(isSection && { isSection }),
      ...(hasFolder && { hasFolder }),
      ...(named && { termNames: { tags: [...named] } }),
    },
    true,
  )
}

const isEqual = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

const nameOf = (entry: Entry | undefined) => entry && keyText(entry.key) + entry.version + entry.title
const section = ({ url, label, index, entries, own, newest, sections }: Section): unknown => [
  ...[url, label, nameOf(index), entries.map(nameOf), own.map(nameOf), newest?.map(nameOf)],
  sections.map(section),
]

/** All that there is to be known of an outline. */
function shape(outline: Outline, asked: readonly string[]) {
  const terms = [...outline.terms.values()]
  return {
    records: [...outline.records].map(([url, entry]) => [url, nameOf(entry)]),
    at: [...outline.records].map(([url]) => nameOf(outline.records.get(url))),
    aliases: [...outline.aliases],
    home: outline.home.entries.map(nameOf),
    index: nameOf(outline.index),
    lists: [...outline.lists].map(([url, one]) => [url, section(one)]),
    sections: [...outline.sections].map(([url, one]) => [url, section(one)]),
    within: [...outline.records.values()].map((entry) => [nameOf(entry), sectionIn(outline, entry)?.url]),
    types: [...outline.types].map(([name, entries]) => [name, entries.map(nameOf)]),
    terms: terms.map(({ entries, ...one }) => ({ ...one, entries: entries.map(nameOf) })),
    kin: terms.map((one) => outline.kin.around(one, (url) => url)),
    tree: outline.kin.tree(terms, (url) => url),
    names: ['a', 'c', 'd d', 'd-d'].map((id) => outline.termNames.of('tags', id)),
    named: asked.map((name) => [nameOf(outline.names.find(name)?.entry), outline.names.find(name)?.count]),
    taxonomies: [...outline.taxonomies].map(([url, one]) => [url, one.terms.map(({ id }) => id)]),
    problems: outline.problems,
    trees: [...outline.types.keys()].map((type) => treeOf(type, outline).reading.map(nameOf)),
  }
}

t.test('an outline that is made of the one before is the one that is made anew', async () => {
  const steps = fc.array(fc.array(drawn, { minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 12 })
  fc.assert(
    fc.property(steps, fc.integer({ min: 0, max: 90 }), (steps, days) => {
      let entries = new Map<string, Entry>()
      let outline = outlineOf([], NOW, LIVE_ONLY, place)
      for (const [n, changes] of steps.entries()) {
        // The clock goes on, too.
        const now = NOW + n * days * 86_400_000
        const next = new Map(entries)
        for (const one of changes) {
          const name = keyText(keyOf(one.kind, one.id))
          if (one.isGone) next.delete(name)
          else next.set(name, recordOf(one))
        }
        const isToShow = (entry: Entry) => isShown(entry.timing, entry.type, now, LIVE_ONLY)
        const gone = [...entries].flatMap(([name, entry]) =>
          isInOutline(outline, entry) && !(next.get(name) === entry && isToShow(entry)) ? [entry] : [],
        )
        const come = [...next].flatMap(([name, entry]) =>
          isToShow(entry) && !(entries.get(name) === entry && isInOutline(outline, entry)) ? [entry] : [],
        )
        const before = shape(outline, ['A', 'sub/a'])
        const after = outlineAfter(outline, { gone, come }, place)
        // Who has the one before goes on with it.
        if (!isEqual(shape(outline, ['A', 'sub/a']), before)) return false
        const anew = outlineOf(next.values(), now, LIVE_ONLY, place)
        const asked = ['A', 'b', 'sub/a', 'docs/sub/deep/a', 'older']
        const [made, wanted] = [shape(after, asked), shape(anew, asked)]
        if (!isEqual(made, wanted)) {
          t.same(made, wanted)
          return false
        }
        outline = after
        entries = next
      }
      return true
    }),
    { numRuns: runsOf(60) },
  )
})

t.test('a layered map has what a map has that was changed alike', async () => {
  const changes = fc.array(fc.tuple(fc.integer({ min: 0, max: 400 }).map(String), some(1, 2)), { maxLength: 120 })
  fc.assert(
    fc.property(fc.array(changes, { maxLength: 8 }), (steps) => {
      let map = new LayeredMap<number>()
      const plain = new Map<string, number>()
      for (const step of steps) {
        const before = [...map.entries()].sort()
        const next = map.with(step)
        for (const [name, value] of step) {
          if (value === undefined) plain.delete(name)
          else plain.set(name, value)
        }
        const isKept = isEqual([...map.entries()].sort(), before)
        map = next
        const isSame = isEqual([...map.entries()].sort(), [...plain].sort())
        if (!isKept || !isSame || map.size !== plain.size) return false
        if (!isEqual([...map.values()].sort(), [...plain.values()].sort())) return false
      }
      return [...Array(401).keys()].every(
        (n) => map.get(String(n)) === plain.get(String(n)) && map.has(String(n)) === plain.has(String(n)),
      )
    }),
  )
})
