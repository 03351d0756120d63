import fc from 'fast-check'
import t from 'tap'
import { flatten } from '#features/menus/flat.ts'
import { mergeItems } from '#features/menus/merge.ts'
import { everyItem, type Item, itemsOf } from '#features/menus/tree.ts'
import { newFields } from '#features/menus/written.ts'
import type { Branch } from '#frontmatter/yaml/branches.ts'
import { spliceTree } from '#frontmatter/yaml/tree.ts'
import { readYaml } from '#frontmatter/yaml/yaml.ts'
import { runsOf } from '#support/long.ts'

const item = (id: string, children: Item[] = [], label = id): Item => ({
  id,
  label,
  target: { url: `/${id}` },
  newTab: false,
  children,
})

/** A step of an edit: an item is renamed, led elsewhere, moved, made or taken away. */
type Step = { do: 'rename' | 'lead' | 'move' | 'make' | 'remove'; at: number; to: number; place: number; name: string }

const step = fc.record<Step>({
  do: fc.constantFrom('rename', 'lead', 'move', 'make', 'remove'),
  at: fc.nat(20),
  to: fc.nat(20),
  place: fc.nat(4),
  name: fc.constantFrom('u', 'v', 'w'),
})
const steps = fc.array(step, { maxLength: 4 })

function edited(items: readonly Item[], done: readonly Step[], side: string): Item[] {
  const tree: Mutable[] = structuredClone(items) as Mutable[]
  for (const [n, one] of done.entries()) apply(tree, one, `${side}${n}`)
  return tree
}

type Mutable = { -readonly [K in keyof Item]: Item[K] } & { children: Mutable[] }

function apply(tree: Mutable[], one: Step, fresh: string): void {
  const all = [...everyItem<Mutable>(tree)]
  const found = all[one.at % Math.max(1, all.length)]
  if (one.do === 'make') insert(tree, all, one, item(fresh) as Mutable)
  else if (!found) return
  else if (one.do === 'rename') found.label = one.name
  else if (one.do === 'lead') found.target = { url: `/${one.name}` }
  else {
    take(tree, found)
    if (one.do === 'move') insert(tree, [...everyItem<Mutable>(tree)], one, found)
  }
}

function take(tree: Mutable[], found: Mutable): void {
  for (const level of [tree, ...[...everyItem<Mutable>(tree)].map(({ children }) => children)]) {
    const place = level.indexOf(found)
    if (place >= 0) level.splice(place, 1)
  }
}

function insert(tree: Mutable[], all: Mutable[], { to, place }: Step, made: Mutable): void {
  const level = to % 3 === 0 ? tree : (all[to % Math.max(1, all.length)]?.children ?? tree)
  level.splice(place % (level.length + 1), 0, made)
}

const base = [item('a', [item('b'), item('c', [item('d')])]), item('e', [item('f')]), item('g')]
const none: ReadonlySet<string> = new Set()

t.test('a merge has all that either side did, or names what overlaps', (t) => {
  fc.assert(
    fc.property(steps, steps, (first, second) => {
      const [yours, theirs] = [edited(base, first, 'y'), edited(base, second, 't')]
      const { items, conflicts } = mergeItems({ base, yours, theirs, hidden: none })
      const other = mergeItems({ base, yours: theirs, theirs: yours, hidden: none })
      if (conflicts.length > 0 !== other.conflicts.length > 0) throw new Error('it depends on who comes first')
      if (conflicts.length > 0) return
      const [was, mine, now, made] = [base, yours, theirs, items].map(flatten)
      if (!was || !mine || !now || !made) return
      for (const id of new Set([...mine.values.keys(), ...now.values.keys(), ...was.values.keys()])) {
        const isThere = mine.values.has(id) && now.values.has(id) ? true : !was.values.has(id)
        if (made.values.has(id) !== isThere) throw new Error(`${id} is ${isThere ? 'lost' : 'back'}`)
        if (!isThere) continue
        for (const side of [mine, now]) {
          const values = side.values.get(id)
          for (const field of ['label', 'target'] as const) {
            const isChanged = values && JSON.stringify(values[field]) !== JSON.stringify(was.values.get(id)?.[field])
            if (isChanged && JSON.stringify(made.values.get(id)?.[field]) !== JSON.stringify(values[field]))
              throw new Error(`the ${field} of ${id} is lost`)
          }
          const isMoved = values && side.parents.get(id) !== was.parents.get(id)
          if (isMoved && made.parents.get(id) !== side.parents.get(id)) throw new Error(`${id} is not where it was put`)
        }
      }
      const count = [...everyItem(items)].length
      if (count !== made.values.size || new Set(made.values.keys()).size !== count) throw new Error('an item is there twice')
    }),
    { numRuns: runsOf(3000) },
  )
  t.end()
})

t.test('an edit merged with nothing is itself, and with itself, too', (t) => {
  fc.assert(
    fc.property(steps, (first) => {
      const yours = edited(base, first, 'y')
      for (const [one, other] of [
        [base, yours],
        [yours, base],
        [yours, yours],
      ] as const) {
        const { items, conflicts } = mergeItems({ base, yours: one, theirs: other, hidden: none })
        if (conflicts.length > 0 || JSON.stringify(items) !== JSON.stringify(yours))
          throw new Error(JSON.stringify({ items, conflicts }))
      }
    }),
    { numRuns: runsOf(1000) },
  )
  t.end()
})

t.test('what is hidden stays where it is, and goes with what it is below', (t) => {
  const theirs = [item('a', [item('x'), item('b')]), item('y', [item('z')]), item('c')]
  const seen = [item('a', [item('b')]), item('c')]
  const hidden = new Set(['x', 'y', 'z'])
  const merged = (yours: Item[]) => mergeItems({ base: seen, yours, theirs, hidden })
  const ids = (items: readonly Item[]): unknown[] =>
    items.map(({ id, children }) => (children.length > 0 ? [id, ids(children)] : id))
  t.strictSame(ids(merged([item('c'), item('a', [item('b')])]).items), ['c', ['a', ['x', 'b']], ['y', ['z']]])
  t.strictSame(ids(merged([item('c')]).items), [['y', ['z']], 'c'])
  t.strictSame(ids(merged([]).items), [['y', ['z']]])
  t.strictSame(merged([]).conflicts, [])
  t.end()
})

const BELOW = { list: 'items', below: 'children' }

function urlOf({ target }: Item): string | null {
  return target && 'url' in target ? target.url : null
}

t.test('a tree that is spliced into YAML is that tree, and lines of what stays are there', async (t) => {
  let spliced = 0
  const remark = fc.constantFrom('', '   # why')
  const quote = fc.constantFrom('', '"', "'")
  await fc.assert(
    fc.asyncProperty(
      steps,
      fc.array(fc.tuple(remark, quote), { minLength: 7, maxLength: 7 }),
      fc.constantFrom(0, 2),
      fc.constantFrom('\n', '\r\n'),
      async (done, looks, dash, eol) => {
        const text = `# top${eol}label: x${eol}items:${eol}${written(base, dash, looks, eol)}# end${eol}`
        const data = readYaml(text)
        const now = itemsOf(data.items)
        const yours = edited(base, done, 'y')
        const known = new Map([...everyItem(now)].map((one) => [one.id, one]))
        const branch = (one: Item): Branch => {
          const old = known.get(one.id)
          const below = one.children.map(branch)
          if (!old) return { set: { id: one.id, label: one.label, url: urlOf(one) }, below }
          return {
            from: old.from,
            set: { ...(old.label !== one.label && { label: one.label }), ...(urlOf(old) !== urlOf(one) && { url: urlOf(one) }) },
            below,
          }
        }
        const made = await spliceTree(text, data, BELOW, yours.map(branch), eol)
        if (made === undefined) {
          if (yours.length > 0) throw new Error('it could not be spliced')
          return
        }
        spliced++
        if (JSON.stringify(newFields(null, itemsOf(readYaml(made).items))) !== JSON.stringify(newFields(null, yours)))
          throw new Error(made)
        if (done.length === 0 && made !== text) throw new Error('it changed nothing, and yet bytes')
        for (const [id, old] of known) {
          const now = [...everyItem(yours)].find((one) => one.id === id)
          const line = text
            .split(eol)
            .find((one) => one.includes(`id: ${id} `))
            ?.trim()
          if (now && old && line && !made.includes(line.replace(/^- /, '')))
            throw new Error(`the line of ${id} is another: ${made}`)
        }
      },
    ),
    { numRuns: runsOf(500) },
  )
  t.ok(spliced > runsOf(100))
})

/** The items as an author writes them, with remarks and quotes; flow style in places. */
function written(items: readonly Item[], indent: number, looks: [string, string][], eol: string): string {
  const pad = ' '.repeat(indent)
  return items
    .map((one) => {
      const [remark = '', quote = ''] = looks[one.id.charCodeAt(0) % looks.length] ?? []
      const head = `${pad}# of ${one.id}${eol}${pad}- id: ${one.id} # id${eol}${pad}  label: ${quote}${one.label}${quote}${remark}${eol}`
      const url = `${pad}  url: ${urlOf(one)}${eol}`
      const below =
        one.children.length > 0 ? `${pad}  children:${remark}${eol}${written(one.children, indent + 2, looks, eol)}` : ''
      return one.id === 'a' ? head + below + url : head + url + below
    })
    .join('')
}

t.test('a menu of 500 items is given ids quickly', async (t) => {
  const lines = Array.from({ length: 500 }, (_, n) => `  - label: "Item ${n}" # ${n}\n    url: /${n}\n`)
  const flow = Array.from({ length: 500 }, (_, n) => `  - { label: "Item ${n}", url: /${n} }\n`)
  for (const text of [`items:\n${lines.join('')}`, `items:\n${flow.join('')}`]) {
    const data = readYaml(text)
    const now = itemsOf(data.items)
    const start = performance.now()
    const made = await spliceTree(
      text,
      data,
      BELOW,
      now.map((one) => ({ from: one.from, set: { id: one.id }, below: [] })),
      '\n',
    )
    t.ok(made)
    t.comment(`${Math.round(performance.now() - start)} ms`)
  }
})

t.test('an entry takes its remarks along, wherever it goes', async (t) => {
  const text = `items:
  - id: a
    label: A
    children: # all of A
      # first of A
      - id: b # here
        label: B
        # within
        url: /b
  # of c
  - { id: c, label: "C" } # beside c
  - { id: d, label: D }
`
  const data = readYaml(text) as Parameters<typeof spliceTree>[1]
  const keys = { list: 'items', below: 'children' }
  const leaf = (from: readonly number[], below: readonly Branch[] = []): Branch => ({ from, set: {}, below })
  const b = ['- id: b # here', '  label: B', '  # within', '  url: /b']
  const moved = async (...branches: Branch[]) => (await spliceTree(text, data, keys, branches, '\n'))?.split('\n')
  const alone = ['  - id: a', '    label: A', '    # all of A', '      # first of A']
  const [c, d] = [
    ['  # of c', '  - { id: c, label: "C" } # beside c'],
    ['  - { id: d, label: D }', ''],
  ]
  t.same(await moved(leaf([0, 0]), leaf([0]), leaf([1]), leaf([2])), [
    'items:',
    ...b.map((line) => `  ${line}`),
    ...[...alone, ...c, ...d],
  ])
  t.same(await moved(leaf([0]), leaf([1], [leaf([0, 0])]), leaf([2])), [
    ...['items:', ...alone, '  # of c', '  - id: c # beside c', '    label: C', '    children:'],
    ...b.map((line) => `      ${line}`),
    ...d,
  ])
  t.match((await moved(leaf([0], [leaf([0, 0])]), leaf([1], [leaf([2])])))?.slice(-2), [/^ {2}- \{ id: c, .*\{ id: d,/, ''])
})
