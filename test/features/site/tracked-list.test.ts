import fc from 'fast-check'
import t from 'tap'
import { type Reading, trackedList } from '#features/site/data/tracked-list.ts'
import { Templates } from '#liquid/templates.ts'

function tracked(length: number) {
  const readings: Reading[] = []
  const made = new Set<number>()
  const list = trackedList<string>({
    length,
    item: (index) => {
      made.add(index)
      return `<${index}>`
    },
    read: (reading) => readings.push(reading),
  })
  const wholeFrom = () => Math.min(Number.POSITIVE_INFINITY, ...readings.filter(({ to }) => to > length).map(({ from }) => from))
  return { ...list, readings, made, wholeFrom }
}

const plain = Array.from({ length: 40 }, (_, n) => `<${n}>`)

t.test('a template gets of a list what it gets of an array, and the list knows what that was', async (t) => {
  const nothing = { text: '', most: 0, isWhole: false }
  for (const [template, { most, isWhole }] of Object.entries({
    '{% for x in list limit: 3 %}{{ x }}{% endfor %}': { most: 3, isWhole: false },
    '{% for x in list limit: 3 offset: 2 %}{{ x }}{% endfor %}': { most: 5, isWhole: false },
    '{{ list[4] }}': { most: 5, isWhole: false },
    '{{ list.first }}': { most: 1, isWhole: false },
    '{{ list | first }}': { most: 1, isWhole: true },
    '{% assign some = list | slice: 1, 2 %}{{ some | join: "," }}': { most: 3, isWhole: true },
    '{{ list | slice: -2, 2 | join: "," }}': { most: 40, isWhole: true },
    '{% for x in list %}{{ x }}{% endfor %}': { most: 40, isWhole: true },
    '{% for x in list reversed limit: 2 %}{{ x }}{% endfor %}': { most: 2, isWhole: false },
    '{% for x in list offset: 38 %}{{ x }}{% endfor %}': { most: 40, isWhole: true },
    '{{ list.size }}': { most: 0, isWhole: true },
    '{{ list | size }}': { most: 0, isWhole: true },
    '{% if list.size > 3 %}more{% endif %}': { most: 0, isWhole: true },
    '{{ list.last }}': { most: 40, isWhole: true },
    '{{ list | join: "," }}': { most: 40, isWhole: true },
    '{{ list | reverse | first }}': { most: 40, isWhole: true },
    '{% assign b = list | concat: list %}{{ b | size }}': { most: 40, isWhole: true },
    '{{ list | size }}{% for x in list limit: 1 offset: 1 %}{{ x }}{% endfor %}': { most: 2, isWhole: true },
    '{% tablerow x in list limit: 2 %}{{ x }}{% endtablerow %}': { most: 2, isWhole: false },
    nothing: nothing,
  })) {
    const list = tracked(40)
    const templates = new Templates({ one: template })
    t.equal(await templates.render('one', { list: list.items }), await templates.render('one', { list: plain }), template)
    list.settle()
    t.equal(Math.max(0, ...[...list.made].map((index) => index + 1)), most, `${template}: made`)
    t.equal(
      list.readings.some(({ to }) => to > 40),
      isWhole,
      `${template}: ${JSON.stringify(list.readings)}`,
    )
  }
})

t.test('whatever is read of a list is told', (t) => {
  const step = fc.oneof(
    fc.tuple(fc.constant('at' as const), fc.nat({ max: 9 }), fc.nat({ max: 9 })),
    fc.tuple(fc.constant('slice' as const), fc.integer({ min: -9, max: 9 }), fc.integer({ min: -9, max: 9 })),
    fc.tuple(fc.constant('all' as const), fc.nat({ max: 9 }), fc.nat({ max: 9 })),
    fc.tuple(fc.constant('loop' as const), fc.nat({ max: 9 }), fc.nat({ max: 9 })),
  )
  fc.assert(
    fc.property(fc.nat({ max: 8 }), fc.array(step, { maxLength: 6 }), (length, steps) => {
      const run = (items: readonly string[]) => {
        let list = items
        return JSON.stringify(
          steps.map(([what, a, b]) => {
            if (what === 'at') return list[a] ?? null
            if (what === 'all') return [...list]
            if (what === 'loop') return list.length === 0 ? [] : [...list.slice(a).slice(0, b)]
            list = list.slice(a, b)
            return null
          }),
        )
      }
      const list = tracked(length)
      const seen = run(list.items)
      list.settle()
      const told = (index: number) => list.readings.some(({ from, to }) => index >= from && index < to)
      const others = Array.from({ length }, (_, index) => (told(index) ? `<${index}>` : '?'))
      const mayGrow = !list.readings.some(({ to }) => to > length)
      return seen === run(plain.slice(0, length)) && seen === run(mayGrow ? [...others, '?', '?'] : others)
    }),
    { numRuns: 500 },
  )
  t.end()
})
