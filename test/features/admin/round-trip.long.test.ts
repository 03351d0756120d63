import fc from 'fast-check'
import t from 'tap'
import { FIELD_TYPE_NAMES } from '#core/types/content-type.ts'
import { type FieldInput, fieldsOf } from '#core/types/fields.ts'
import { RecordForm } from '#features/admin/forms/record-form.ts'
import { impliedFields } from '#features/admin/forms/shapes.ts'
import type { Fields, Json } from '#lib/json.ts'
import { sentForm, sentPairs } from '#support/drawn-form.ts'

const zone = fc.constantFrom('UTC', 'Europe/Vienna', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Apia', 'Australia/Lord_Howe')

const text = fc.oneof(
  fc.constantFrom(
    '',
    'a',
    'a\nb',
    '\n\nlead',
    'end\n',
    'a\r\nb\r\n',
    'mixed\r\nx\ny\r',
    ' spaces ',
    '</textarea>',
    '\u2028',
    'é',
    '0',
    'true',
  ),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
)
const instant = fc
  .date({ min: new Date('1970-01-01'), max: new Date('2090-01-01'), noInvalidDate: true })
  .chain((date) =>
    fc.constantFrom(date.toISOString(), `${date.toISOString().slice(0, 16)}:00.000Z`, `${date.toISOString().slice(0, 19)}+02:00`),
  )

/** Any value, of a sort that files hold. */
const any: fc.Arbitrary<Json> = fc.oneof(
  { maxDepth: 4, depthSize: 'small' },
  text,
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom('2026-01-31', '0000-01-01', 'x@y.example', 'https://example.org', '#aabbcc', '#AABBCC', 'slug-a', 'one', 'two'),
  instant,
  fc.array(fc.oneof(text, fc.constantFrom('one', 'two'), fc.integer()), { maxLength: 3 }),
  fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 3 }, text, fc.integer(), fc.boolean(), fc.constant(null), instant, tie('list'), tie('object')),
    list: fc.array(tie('value'), { maxLength: 3 }),
    object: fc.dictionary(fc.constantFrom('a', 'b', 'name', 'x y', 'odd[', '7', '__kept', ''), tie('value'), { maxKeys: 3 }),
  })).value as fc.Arbitrary<Json>,
)

const rules = fc.constantFrom('', 'required', 'max:300', 'min:2|max:10', 'regex:/^[a-z]+$/')
const { field } = fc.letrec<{ field: FieldInput; leaf: FieldInput; list: FieldInput; object: FieldInput }>((tie) => ({
  field: fc.oneof({ maxDepth: 3, depthSize: 'small' }, tie('leaf'), tie('list'), tie('object')),
  leaf: fc
    .record({ type: fc.constantFrom(...FIELD_TYPE_NAMES), rules, several: fc.boolean() })
    .map(({ type, rules, several }): FieldInput => {
      const isMultiple = several && ['select', 'reference', 'media'].includes(type)
      return {
        type,
        rules,
        ...(type === 'select' && { options: ['one', 'two', 'three'] }),
        ...(isMultiple && { multiple: true }),
      }
    }),
  list: tie('field').map((of): FieldInput => ({ type: 'list', of })),
  object: fc
    .dictionary(fc.constantFrom('a', 'b', 'name', 'flag'), tie('field'), { minKeys: 1, maxKeys: 3 })
    .map((fields): FieldInput => ({ type: 'object', fields })),
}))

/** A value that is likely to be of the sort that a field is for. */
function valueFor(input: FieldInput): fc.Arbitrary<Json> {
  return fc.oneof({ weight: 6, arbitrary: fitting(input) }, { weight: 1, arbitrary: any })
}

function fitting({ type, of, fields, multiple }: FieldInput): fc.Arbitrary<Json> {
  const line = fc.constantFrom('one', 'two', 'a-b', 'Other', '#abc', ' x@y.example ')
  if (multiple) return fc.array(line, { maxLength: 3 })
  if (type === 'list') return fc.array(of ? valueFor(of) : text, { maxLength: 4 })
  if (type === 'object')
    return fc.record(
      Object.fromEntries([...Object.entries(fields ?? {}).map(([name, part]) => [name, valueFor(part)]), ['extra', any]]),
      { requiredKeys: [] },
    ) as fc.Arbitrary<Json>
  if (type === 'number' || type === 'integer')
    return fc.oneof(
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
    )
  if (type === 'boolean') return fc.boolean()
  if (type === 'date') return instant.map((date) => date.slice(0, 10))
  if (type === 'datetime') return instant
  return type === 'text' || type === 'markdown' ? text : type === 'json' ? any : line
}

const declared = fc.dictionary(fc.constantFrom('title', 'body', 'meta', 'parts', 'gallery', 'flag'), field, { maxKeys: 4 })
const site = declared.chain((inputs) =>
  fc.tuple(
    fc.constant(inputs),
    fc.record(Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, valueFor(input)])), {
      requiredKeys: [],
    }) as fc.Arbitrary<Fields>,
    fc.dictionary(fc.constantFrom('other', 'more', 'base'), any, { maxKeys: 2 }),
  ),
)

t.test('a form that is sent back as it came changes nothing', async (t) => {
  fc.assert(
    fc.property(site, zone, ([inputs, values, more], zone) => {
      const record = JSON.parse(JSON.stringify({ ...more, ...values })) as Fields
      const form = new RecordForm({ fields: [...fieldsOf(inputs).values(), ...impliedFields(more)], record, zone })
      const { set, errors } = form.read(sentForm(sentPairs(form.draw().fields)))
      if (Object.keys(set).length > 0 || Object.keys(errors).length > 0) throw new Error(JSON.stringify({ set, errors }))
    }),
    { numRuns: Number(process.env.RUNS ?? 1500) },
  )
  t.pass('held')
})

t.test('a field that was edited comes out alone, as it was typed', async (t) => {
  const line = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 20 }).filter((one) => one.trim() !== '')
  const edits = fc.record({
    title: line,
    body: fc.array(line, { minLength: 1, maxLength: 4 }).map((lines) => lines.join('\r\n')),
    price: fc.integer().map(String),
    day: instant.map((date) => date.slice(0, 10)),
  })
  const inputs = {
    title: { type: 'text' },
    body: { type: 'markdown' },
    price: { type: 'number' },
    day: { type: 'date' },
  } as const
  fc.assert(
    fc.property(edits, text, site, fc.constantFrom('title', 'body', 'price', 'day'), (edit, body, [others, values], name) => {
      const beside = Object.fromEntries(Object.entries(others).map(([one, input]) => [`x_${one}`, input]))
      const old = Object.fromEntries(Object.entries(values).map(([one, value]) => [`x_${one}`, value]))
      const record = JSON.parse(JSON.stringify({ ...old, title: 'T', body, price: 1.5, day: '2026-01-31' })) as Fields
      const form = new RecordForm({ fields: [...fieldsOf({ ...beside, ...inputs }).values()], record, zone: 'Europe/Vienna' })
      const pairs = sentPairs(form.draw().fields).map(([one, value]): [string, string] => [
        one,
        one === name ? edit[name] : value,
      ])
      const { set, errors } = form.read(sentForm(pairs))
      const names = Object.keys(set)
      if (Object.keys(errors).length > 0 || names.some((one) => one !== name)) throw new Error(JSON.stringify({ set, errors }))
      if (name !== 'body' && String(set[name] ?? record[name]) !== edit[name]) throw new Error(JSON.stringify({ set }))
      const typed = edit.body.replaceAll('\r\n', '\n').trimEnd()
      if (
        name === 'body' &&
        String(set.body ?? record.body)
          .replaceAll(/\r\n?/g, '\n')
          .trimEnd() !== typed
      )
        throw new Error(JSON.stringify({ set }))
    }),
    { numRuns: 500 },
  )
  t.pass('held')
})

/** A value without what its items of one text may swap: line ends, and spellings of one instant. */
function plainly(value: Json): string {
  const instants = /"(\d{4}-\d\d-\d\dT[^"]*)"/g
  const same = (whole: string, time: string) => (Number.isNaN(Date.parse(time)) ? whole : `"${new Date(time).toISOString()}"`)
  return JSON.stringify(value)
    .replaceAll(/\\r\\n|\\r/g, '\\n')
    .replaceAll(instants, same)
}

t.test('items are moved and removed as they are, whatever they hold', async (t) => {
  const steps = fc.array(fc.tuple(fc.constantFrom('up', 'down', 'remove'), fc.nat(3)), { maxLength: 5 })
  const list = field.chain((of) => fc.tuple(fc.constant(of), fc.array(valueFor(of), { minLength: 1, maxLength: 4 })))
  fc.assert(
    fc.property(list, steps, ([of, values], steps) => {
      const record = JSON.parse(JSON.stringify({ parts: values })) as { parts: Json[] }
      const form = new RecordForm({ fields: [...fieldsOf({ parts: { type: 'list', of } }).values()], record, zone: 'UTC' })
      let [sent, expected] = [sentForm(sentPairs(form.draw().fields)), record.parts]
      for (const [verb, place] of steps) {
        if (expected.length === 0) break
        const at = place % expected.length
        sent = form.act(sent, `${verb}:parts.${at}`)
        const left = expected.filter((_, n) => n !== at)
        const to = verb === 'up' ? Math.max(at - 1, 0) : at + 1
        expected = verb === 'remove' ? left : [...left.slice(0, to), expected[at] ?? null, ...left.slice(to)]
        if (place % 2 === 0) sent = sentForm(sentPairs(form.draw({ sent }).fields))
      }
      const { set, errors } = form.read(sent)
      const made = set.parts ?? record.parts
      if (Object.keys(errors).length > 0 || plainly(made) !== plainly(expected))
        throw new Error(JSON.stringify({ made, expected, errors }))
    }),
    { numRuns: Number(process.env.RUNS ?? 1000) },
  )
  t.pass('held')
})
