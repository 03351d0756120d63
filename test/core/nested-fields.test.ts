import fc from 'fast-check'
import t from 'tap'
import { checkFields, lookups } from '#core/rules/rules.ts'
import type { ContentType } from '#core/types/content-type.ts'
import type { FieldInput } from '#core/types/fields.ts'
import type { FieldErrors } from '#lib/errors.ts'
import type { Fields, Json } from '#lib/json.ts'
import { cpuMs } from '#support/cpu.ts'
import { plainTypes } from '#support/types.ts'

const parts: FieldInput = {
  type: 'list',
  rules: 'max:3',
  of: {
    type: 'object',
    fields: {
      name: { type: 'text', rules: 'required|max:5' },
      size: { type: 'select', options: ['s', 'm'] },
      at: { type: 'datetime' },
      who: { type: 'reference', to: 'authors', multiple: true },
      prices: { type: 'list', of: { type: 'number', rules: 'min:0' } },
      any: { type: 'object' },
    },
  },
}

function typeOf(fields: Readonly<Record<string, FieldInput>>, others?: boolean): ContentType {
  const type = plainTypes({ posts: { fields, ...(others !== undefined && { additional_fields: others }) } }).get('posts')
  if (!type) throw new Error('There is no such type.')
  return type
}

function errorsOf(field: FieldInput, value: Json, held?: Json): FieldErrors {
  const had = held === undefined ? {} : { held: [{ value: held }] }
  return checkFields(typeOf({ value: field }), { value }, { partial: true, ...had })
}

t.test('what is within a list or an object is checked as deep as it is declared', async (t) => {
  const good = { name: 'Leg', size: 's', at: '2026-11-20', who: ['ada'], prices: [0, 1.5], any: { deep: [1, null] } }
  t.strictSame(errorsOf(parts, [good, { name: 'Top', size: null }]), {})
  t.strictSame(errorsOf(parts, []), {})
  t.strictSame(errorsOf(parts, [{}, 'x', { name: 'Too long', size: 'x', at: 'then', who: 'ada', prices: ['1', -1], any: 1 }]), {
    'value.0.name': ['The value.0.name is required.'],
    'value.1': ['The value.1 must be an object.'],
    'value.2.name': ['The value.2.name must not be greater than 5 characters.'],
    'value.2.size': ['The value.2.size must be one of s, m.'],
    'value.2.at': ['The value.2.at must be a date and time with an offset, such as 2026-11-20T12:00:00Z.'],
    'value.2.who': ['The value.2.who must be an array.'],
    'value.2.prices.0': ['The value.2.prices.0 must be a number.'],
    'value.2.prices.1': ['The value.2.prices.1 must be at least 0.'],
    'value.2.any': ['The value.2.any must be an object.'],
  })
  const four = Array.from({ length: 4 }, () => ({ name: 'a' }))
  t.strictSame(errorsOf(parts, four), { value: ['The value must not have more than 3 items.'] })
})

t.test('an object refuses what is not among its fields, as its type does', async (t) => {
  t.strictSame(
    errorsOf(parts, [
      { name: 'a', siez: 's' },
      { name: 'a', zzzzzz: 1 },
    ]),
    {
      'value.0.siez': ['The value.0 has no field "siez". Did you mean "size"?'],
      'value.1.zzzzzz': ['The value.1 has no field "zzzzzz".'],
    },
  )
  const open = typeOf({ value: parts }, true)
  t.strictSame(checkFields(open, { value: [{ name: 'a', siez: 's' }] }, { partial: true }), {})
  t.strictSame(errorsOf({ type: 'object' }, { anything: [1] }), {}, 'without fields it takes any')
  t.strictSame(errorsOf({ type: 'list' }, [1, null, { a: 1 }]), {}, 'and so does a list without `of`')
  t.strictSame(errorsOf(parts, [{ name: 'a', toString: 1 }]), {
    'value.0.toString': ['The value.0 has no field "toString".'],
  })
})

t.test('an item is a value, unless the rules say that it may be null', async (t) => {
  const texts = (rules: string): FieldInput => ({ type: 'list', of: { type: 'text', rules } })
  t.strictSame(errorsOf(texts(''), ['a', null]), { 'value.1': ['The value.1 must not be null.'] })
  t.strictSame(errorsOf(texts('nullable'), ['a', null, '']), {})
  t.strictSame(errorsOf(texts('required'), ['a', null, '']), {
    'value.1': ['The value.1 is required.'],
    'value.2': ['The value.2 is required.'],
  })
})

t.test('with `multiple` a field is a list of values', async (t) => {
  const sizes: FieldInput = { type: 'select', options: ['s', 'm'], multiple: true, rules: 'required|max:2' }
  t.strictSame(errorsOf(sizes, ['s', 'm']), {})
  t.strictSame(errorsOf(sizes, 's'), { value: ['The value must be an array.'] })
  t.strictSame(errorsOf(sizes, []), { value: ['The value is required.'] })
  t.strictSame(errorsOf(sizes, ['s', 'x', null]), {
    value: ['The value must not have more than 2 items.'],
    'value.1': ['The value.1 must be one of s, m.'],
    'value.2': ['The value.2 must not be null.'],
  })
  const files: FieldInput = { type: 'media', multiple: true, rules: ['regex:/^2026/'] }
  t.strictSame(errorsOf(files, ['2026/a.jpg', 'b.jpg']), { 'value.1': ['The value.1 format is invalid.'] })
})

t.test('what the record has within a field is kept, whatever is declared', async (t) => {
  const odd = { nmae: 'Leg', size: 'xl', prices: ['free', 1] }
  t.strictSame(errorsOf(parts, [odd], [odd]), {})
  t.strictSame(errorsOf(parts, [{ ...odd, at: '2026-11-20' }], [odd]), {}, 'beside a part that is changed')
  t.strictSame(errorsOf(parts, [{ name: 'New' }, odd], [odd]), {}, 'wherever it comes to stand')
  t.strictSame(errorsOf(parts, [{ ...odd, prices: ['free', 'cheap'] }], [odd]), {
    'value.0.prices.1': ['The value.0.prices.1 must be a number.'],
  })
  t.strictSame(Object.keys(errorsOf(parts, [{ ...odd, size: 'xxl' }], [odd])), ['value.0.size'])
  t.strictSame(Object.keys(errorsOf(parts, [odd], [{ name: 'Leg' }])), [
    'value.0.nmae',
    'value.0.name',
    'value.0.size',
    'value.0.prices.0',
  ])
  t.strictSame(
    Object.keys(errorsOf(parts, [odd, { size: 'm' }], [odd])),
    ['value.1.name'],
    'an item that is new needs what is required',
  )
})

t.test('limits hold within fields, and name the place', async (t) => {
  const texts: FieldInput = {
    type: 'list',
    of: {
      type: 'object',
      fields: { long: { type: 'text', rules: 'max:20000' }, short: { type: 'text' }, any: { type: 'json' } },
    },
  }
  const value = (length: number) => 'x'.repeat(length)
  t.strictSame(errorsOf(texts, [{ long: value(20_000), short: value(10_000) }]), {})
  t.strictSame(Object.keys(errorsOf(texts, [{ long: value(20_001) }])), ['value.0.long'])
  t.strictSame(Object.keys(errorsOf(texts, [{}, { short: value(10_001) }])), ['value.1.short'])
  t.strictSame(Object.keys(errorsOf(texts, [{ any: { deep: [value(10_001)] } }])), ['value.0.any'])
  const rows = (count: number) => Array.from({ length: count }, () => Array.from({ length: 1000 }, () => 'x'))
  const numbers: FieldInput = { type: 'list', of: { type: 'list', of: { type: 'number' } } }
  t.equal(Object.keys(errorsOf(numbers, rows(19))).length, 100, 'no more errors are told than a hundred')
  t.strictSame(errorsOf(numbers, rows(20)), {
    value: ['The value must not hold more than 20,000 values, with what is sent beside it.'],
  })
  t.strictSame(errorsOf({ type: 'list' }, rows(20)), {}, 'nor is what nothing is said of counted')
  const held = [{ short: value(10_001) }, { name: 'a' }]
  t.strictSame(errorsOf(texts, [{ short: value(10_001) }, { short: 'a' }], held), {}, 'what was there has no limits')
})

t.test('references and `exists` within fields are asked of the store, but for those that were there', async (t) => {
  const type = typeOf({
    writers: { type: 'reference', to: 'authors', multiple: true },
    parts: {
      type: 'list',
      of: {
        type: 'object',
        fields: { who: { type: 'reference', to: 'authors' }, post: { type: 'text', rules: 'exists:posts' } },
      },
    },
  })
  const asked = (fields: Fields, held?: Fields) =>
    lookups(type, fields, held).map(({ field, kind, type, value }) => `${field} ${kind} ${type} ${value}`)
  t.strictSame(asked({ writers: ['ada', 'bob'], parts: [{ who: 'eve', post: 'x' }, { who: null }] }), [
    'writers.0 exists authors ada',
    'writers.1 exists authors bob',
    'parts.0.who exists authors eve',
    'parts.0.post exists posts x',
  ])
  t.strictSame(
    asked(
      { writers: ['bob', 'gone'], parts: [{ who: 'new' }, { who: 'gone' }] },
      { writers: ['gone'], parts: [{ who: 'gone' }] },
    ),
    ['writers.0 exists authors bob', 'parts.0.who exists authors new'],
  )
  t.strictSame(
    asked({ writers: ['gone'] }, { parts: [{ who: 'gone' }] }),
    ['writers.0 exists authors gone'],
    'elsewhere is not there',
  )
})

t.test('a pattern for every item takes no time', async (t) => {
  const many = Array.from({ length: 200 }, () => `${'a'.repeat(9000)}!`)
  const began = cpuMs()
  t.equal(Object.keys(errorsOf({ type: 'list', of: { type: 'text', rules: 'regex:/^(a+)+$/' } }, many)).length, 100)
  t.ok(cpuMs() - began < 10_000, `${cpuMs() - began}`)
})

t.test('nothing that a request sends within fields makes the check throw', async (t) => {
  const property = fc.property(fc.jsonValue(), fc.jsonValue(), (value, held) => {
    const errors = errorsOf(parts, value as Json, held as Json)
    const again = errorsOf(parts, value as Json, value as Json)
    return Object.values(errors).every((list) => list.length > 0) && Object.keys(again).every((path) => path === 'value')
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: 500 }))
})
