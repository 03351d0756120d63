import { deepStrictEqual } from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { runsOf } from '#support/long.ts'
import { ESCAPING, sideBySide } from './side-by-side.ts'

const NAMES = ['a', 'b', 'items', 'forloop', 'x']
const FILTERS = [
  'upcase',
  'size',
  'first',
  'join: "-"',
  'append: b',
  'default: "d"',
  'plus: 1',
  'raw',
  'json',
  'map: "a"',
  'sort',
  'split: "a"',
]

const name = fc.constantFrom(...NAMES)
const key = fc.constantFrom('a', 'b', 'size', 'first', 'last', 'index', 'length', '0', 'constructor')
const text = fc
  .string({ unit: fc.constantFrom('a', ' ', '\n', '<', '&', 'é', '{', '%'), maxLength: 6 })
  .map((made) => made.replaceAll(/\{(?=[{%]|$)/g, ''))
const constant = fc.oneof(
  fc.constantFrom('nil', 'true', 'false', 'empty', 'blank', '0', '1', '-1', '2.5', '"a"', "'<b>'", '""', '(1..3)', '(0..a)'),
)
const path = fc
  .tuple(
    name,
    fc.array(
      fc.oneof(
        key.map((made) => (made === '0' ? '[0]' : `.${made}`)),
        name.map((made) => `[${made}]`),
      ),
      { maxLength: 2 },
    ),
  )
  .map(([first, rest]) => first + rest.join(''))
const operand = fc.oneof({ weight: 3, arbitrary: path }, constant)
const operator = fc.constantFrom('==', '!=', '<', '>', '<=', '>=', 'contains', 'and', 'or')
const condition = fc
  .tuple(operand, fc.array(fc.tuple(operator, operand), { maxLength: 3 }), fc.boolean())
  .map(([first, rest, isNegated]) => `${isNegated ? 'not ' : ''}${[first, ...rest.map((pair) => pair.join(' '))].join(' ')}`)
const filtered = fc
  .tuple(operand, fc.array(fc.constantFrom(...FILTERS), { maxLength: 2 }))
  .map(([value, filters]) => [value, ...filters].join(' | '))
const dash = fc.constantFrom('', '', '-')
const tag = (body: fc.Arbitrary<string>) =>
  fc.tuple(dash, body, dash).map(([left, made, right]) => `{%${left} ${made} ${right}%}`)
const modifiers = fc
  .tuple(fc.option(operand), fc.option(operand), fc.boolean())
  .map(([limit, offset, isReversed]) =>
    [limit !== null && ` limit: ${limit}`, offset !== null && ` offset: ${offset}`, isReversed && ' reversed']
      .filter(Boolean)
      .join(''),
  )

const { template } = fc.letrec<{ template: string; node: string }>((tie) => ({
  template: fc.array(tie('node'), { maxLength: 4, depthIdentifier: 'template' }).map((nodes) => nodes.join('')),
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true, depthIdentifier: 'template' },
    text,
    fc.tuple(dash, filtered, dash).map(([left, made, right]) => `{{${left} ${made} ${right}}}`),
    tag(fc.tuple(name, filtered).map(([to, value]) => `assign ${to} = ${value}`)),
    tag(
      fc.constantFrom(
        'break',
        'continue',
        'increment a',
        'decrement x',
        'cycle "a", "<", b',
        'echo a',
        'layout "frame", x: b',
        '# note',
      ),
    ),
    tag(
      fc
        .tuple(fc.constantFrom('render', 'include'), fc.constantFrom('part', 'frame'), operand)
        .map(([by, file, value]) => `${by} "${file}", x: ${value}`),
    ),
    tag(fc.tuple(operand, fc.constantFrom('for', 'with')).map(([value, by]) => `render "part" ${by} ${value} as a`)),
    fc
      .tuple(
        tag(condition.map((made) => `if ${made}`)),
        tie('template'),
        tag(condition.map((made) => `elsif ${made}`)),
        tie('template'),
        tie('template'),
      )
      .map(([open, one, other, two, three]) => `${open}${one}${other}${two}{% else %}${three}{% endif %}`),
    fc
      .tuple(tag(condition.map((made) => `unless ${made}`)), tie('template'))
      .map(([open, one]) => `${open}${one}{% endunless %}`),
    fc
      .tuple(
        tag(fc.tuple(name, operand, modifiers).map(([each, of, how]) => `for ${each} in ${of}${how}`)),
        tie('template'),
        tie('template'),
      )
      .map(([open, each, none]) => `${open}${each}{% else %}${none}{% endfor %}`),
    fc
      .tuple(operand, operand, tie('template'), operand, tie('template'), tie('template'))
      .map(
        ([of, one, two, other, three, four]) =>
          `{% case ${of} %}{% when ${one} %}${two}{% when ${other}, a %}${three}{% else %}${four}{% endcase %}`,
      ),
    fc.tuple(name, tie('template')).map(([to, made]) => `{% capture ${to} %}${made}{% endcapture %}`),
    fc
      .tuple(fc.constantFrom('a', 'b', ''), tie('template'))
      .map(([block, made]) => `{% block ${block} %}${made}{{ block.super }}{% endblock %}`),
    fc
      .tuple(name, operand, tie('template'))
      .map(([each, of, made]) => `{% tablerow ${each} in ${of} cols: 2 %}${made}{% endtablerow %}`),
  ),
}))

const leaf = fc.oneof(
  fc.constantFrom(null, true, false, '', 'a', '<b>', '2', 0, 1, -1, 2.5),
  fc.array(fc.integer({ max: 9, min: 0 }), { maxLength: 3 }),
)
const value = fc.oneof(
  leaf,
  fc.array(fc.oneof(leaf, fc.record({ a: leaf, b: leaf })), { maxLength: 3 }),
  fc.record({ a: leaf, size: leaf }, { requiredKeys: [] }),
)
const given = fc.record({ a: value, b: value, items: value }, { requiredKeys: [] })

/** Tags that name other templates, which could name themselves. */
const OTHERS = /\{%-? (?:render|include|layout) [^%]*?%\}/g

t.test('any template makes of any data what LiquidJS makes of it', async (t) => {
  let rendered = 0
  await fc.assert(
    fc.asyncProperty(
      template,
      template,
      template,
      given,
      fc.constantFrom({}, ESCAPING),
      async (main, part, frame, data, options) => {
        const texts = { main, part: part.replaceAll(OTHERS, ''), frame: frame.replaceAll(OTHERS, '') }
        const { ours, theirs, isFast } = await sideBySide(texts, () => structuredClone(data), options)
        if (isFast) rendered++
        deepStrictEqual(ours, theirs)
        deepStrictEqual(isFast, theirs.text !== undefined)
      },
    ),
    { numRuns: runsOf(300) },
  )
  t.ok(rendered > runsOf(100), `${rendered} are rendered, by closures`)
})
