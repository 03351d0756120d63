import t from 'tap'
import { type FieldInput, fieldsOf } from '#core/types/fields.ts'
import type { FieldView } from '#features/admin/forms/field-view.ts'
import { RecordForm } from '#features/admin/forms/record-form.ts'
import { impliedFields } from '#features/admin/forms/shapes.ts'
import type { Fields } from '#lib/json.ts'
import { sentForm, sentPairs } from '#support/drawn-form.ts'

const GALLERY: FieldInput = { type: 'list', of: { type: 'object', fields: { alt: { type: 'text' }, wide: { type: 'boolean' } } } }

function formOf(inputs: Record<string, FieldInput>, record?: Fields, zone = 'Europe/Vienna'): RecordForm {
  return new RecordForm({ fields: [...fieldsOf(inputs).values()], record, zone })
}

/** What is to change where of what a form sends some values are others; one of undefined is taken away. */
function changed(form: RecordForm, edits: Readonly<Record<string, string | undefined>>) {
  const pairs = sentPairs(form.draw().fields)
  const known = pairs.filter(([name]) => !(name in edits))
  const more = Object.entries(edits).flatMap(([name, value]): [string, string][] => (value === undefined ? [] : [[name, value]]))
  return form.read(sentForm([...known, ...more]))
}

function viewAt(views: readonly FieldView[], name: string): FieldView | undefined {
  for (const view of views) {
    const found = view.name === name ? view : viewAt([...(view.items ?? []), ...(view.fields ?? [])], name)
    if (found) return found
  }
  return undefined
}

t.test('every type is shown as what it is for', async (t) => {
  const inputs: Record<string, FieldInput> = {
    excerpt: { type: 'text', rules: 'max:300', help: 'In lists.' },
    price: { type: 'number', rules: 'required|max:10' },
    on: { type: 'boolean', rules: 'required' },
    at: { type: 'datetime' },
    color: { type: 'select', options: ['red', 'blue'] },
    sizes: { type: 'select', options: ['s', 'm'], multiple: true },
    by: { type: 'reference', to: 'authors', multiple: true },
    cover: { type: 'media', accept: ['image'] },
    code: { type: 'slug', rules: 'regex:/^[a-z]+$/' },
    meta: { type: 'json' },
    any: { type: 'list' },
  }
  const record = {
    price: 2,
    on: true,
    at: '2026-11-23T09:41:00.000Z',
    sizes: ['m'],
    by: ['b', 'a'],
    meta: { a: [1] },
    any: [{ a: 1 }],
  }
  const words = { labelOf: (_: unknown, value: string) => (value === 'a' ? 'Ann' : undefined) }
  const { fields } = formOf(inputs, record).draw(words)
  t.match(fields, [
    { kind: 'textarea', name: 'excerpt', id: 'f-excerpt', help: 'In lists.', max: 300, value: '', required: false },
    { kind: 'number', value: '2', required: true, max: 10 },
    { kind: 'checkbox', value: 'true', hidden: { name: 'on', value: 'false' }, required: false },
    { kind: 'datetime', value: '2026-11-23T10:41', zone: 'Europe/Vienna' },
    { kind: 'select', options: [{ value: '', isSelected: true }, { value: 'red' }, { value: 'blue' }] },
    {
      kind: 'choices',
      name: 'sizes[]',
      options: [
        { value: 's', isSelected: false },
        { value: 'm', isSelected: true },
      ],
    },
    {
      kind: 'reference',
      name: 'by[]',
      options: [
        { value: 'b', label: 'b' },
        { value: 'a', label: 'Ann' },
      ],
    },
    { kind: 'media', accept: 'image' },
    { kind: 'slug', pattern: '.*(?:^[a-z]+$).*' },
    { kind: 'json', value: '{\n  "a": [\n    1\n  ]\n}' },
    { kind: 'kept', value: '[\n  {\n    "a": 1\n  }\n]' },
  ])
})

t.test('lists and objects are shown as deep as they are declared', async (t) => {
  const { fields } = formOf({ gallery: GALLERY }, { gallery: [{ alt: 'x', extra: 1 }] }).draw()
  t.match(fields[0], {
    kind: 'list',
    hidden: { name: 'gallery[]', value: '' },
    items: [
      {
        kind: 'object',
        id: 'f-gallery-0',
        hidden: { name: 'gallery[0][__kept]', value: '0' },
        fields: [
          { kind: 'text', name: 'gallery[0][alt]', id: 'f-gallery-0-alt', value: 'x' },
          { kind: 'checkbox' },
          { kind: 'kept', label: 'extra' },
        ],
      },
    ],
    blank: { name: 'gallery[__n__]', fields: [{ name: 'gallery[__n__][alt]' }, {}] },
  })
})

t.test('of a record without a declaration it shows what it can', async (t) => {
  const record = {
    title: 'T',
    n: 1,
    on: false,
    day: '2026-01-31',
    at: '2026-01-31T10:00:00.000Z',
    words: ['a'],
    meta: { a: 'x', deep: [{ b: 1 }] },
    odd: [1, { a: 2 }],
  }
  const form = new RecordForm({ fields: impliedFields(record), record, zone: 'UTC' })
  const { fields } = form.draw()
  t.strictSame(
    fields.map(({ kind }) => kind),
    ['text', 'number', 'checkbox', 'date', 'datetime', 'list', 'object', 'kept'],
  )
  t.strictSame(changed(form, { 'meta[a]': 'y', 'words[0]': 'b' }).set, { words: ['b'], meta: { a: 'y', deep: [{ b: 1 }] } })
})

t.test('what was typed comes out as what it means', async (t) => {
  const inputs: Record<string, FieldInput> = {
    price: { type: 'number' },
    at: { type: 'datetime' },
    day: { type: 'date' },
    on: { type: 'boolean' },
    sizes: { type: 'select', options: ['s', 'm'], multiple: true },
    meta: { type: 'json' },
    note: { type: 'text' },
  }
  const form = formOf(inputs, { note: 'x', price: 1, at: '2026-11-23T09:41:07.250Z', on: true, sizes: ['m'] })
  t.strictSame(
    changed(form, {
      price: '2.50',
      at: '2026-11-24T10:41',
      day: '2026-02-01',
      on: undefined,
      'sizes[]': 's',
      meta: '{"a":1}',
      note: '',
    }),
    {
      set: { price: 2.5, at: '2026-11-24T09:41:00.000Z', day: '2026-02-01', sizes: ['s'], meta: { a: 1 }, note: null },
      errors: {},
      sent: changed(form, {
        price: '2.50',
        at: '2026-11-24T10:41',
        day: '2026-02-01',
        on: undefined,
        'sizes[]': 's',
        meta: '{"a":1}',
        note: '',
      }).sent,
    },
  )
  t.strictSame(form.read(sentForm([['on', 'false']])).set, { on: false })
  t.strictSame(form.read(sentForm([['sizes[]', '']])).set, { sizes: [] })
  const wrong = changed(form, { price: '1,5', at: 'tomorrow', day: '2026-02-30', meta: '{a' })
  t.strictSame(wrong.set, { price: '1,5', at: 'tomorrow', day: '2026-02-30', meta: '{a' }, 'as it was typed, for the rules')
  t.match(wrong.errors, { meta: [/must be JSON/] })
  t.strictSame(Object.keys(wrong.errors), ['meta'])
  const { fields } = form.draw({
    sent: wrong.sent,
    errors: { ...wrong.errors, price: ['The price must be a number.'], fields: ['Too many.'] },
  })
  t.match(fields.slice(0, 3), [
    { kind: 'number', value: '1,5', error: 'The price must be a number.' },
    { kind: 'text', value: 'tomorrow' },
    { kind: 'text', value: '2026-02-30' },
  ])
  t.strictSame(form.draw({ errors: { fields: ['Too many.'] } }).others, ['Too many.'])
})

t.test('a text keeps its line ends and its final newline', async (t) => {
  const form = formOf({ body: { type: 'markdown' }, note: { type: 'text' } }, { body: '\n\nlead\nend\n', note: 'a\r\nb\nc' })
  t.strictSame(changed(form, { body: '\r\n\r\nlead\r\nend\r\n' }).set, {})
  t.strictSame(changed(form, { body: '\r\n\r\nlead\r\nnew' }).set, { body: '\n\nlead\nnew\n' })
  t.strictSame(changed(form, { note: 'a\r\nB\r\nc\r\n' }).set, { note: 'a\r\nB\nc' })
})

t.test('a new record has what was typed, and what its form offered', async (t) => {
  const inputs: Record<string, FieldInput> = {
    title: { type: 'text' },
    on: { type: 'boolean', rules: 'required' },
    maybe: { type: 'boolean' },
    size: { type: 'select', options: ['s', 'm'], default: 'm' },
    gallery: GALLERY,
  }
  t.strictSame(changed(formOf(inputs), { title: 'T' }).set, { title: 'T', on: false, size: 'm' })
})

t.test('items keep what no form can show, wherever they are put', async (t) => {
  const record = { gallery: [{ alt: 'a', id: 1 }, { alt: 'b', id: 2 }, 'odd', { alt: 'c', id: 3 }] }
  const form = formOf({ gallery: GALLERY }, record)
  const [a, b, odd, c] = record.gallery
  const drawn = sentForm(sentPairs(form.draw().fields))
  const after = (action: string, sent = drawn) => form.act(sent, action)
  t.strictSame(form.read(after('up:gallery.1')).set, { gallery: [b, a, odd, c] })
  t.strictSame(form.read(after('down:gallery.2')).set, { gallery: [a, b, c, odd] })
  t.strictSame(form.read(after('remove:gallery.0')).set, { gallery: [b, odd, c] })
  t.strictSame(form.read(after('up:gallery.0')).set, {})
  t.strictSame(form.read(after('add:gallery')).set, {}, 'a new item that nothing is in is none')
  const again = form.draw({ sent: after('add:gallery', after('remove:gallery.0')) }).fields
  t.equal(again[0]?.items?.length, 4)
  const pairs = sentPairs(again).map(([name, value]): [string, string] => [name, name === 'gallery[3][alt]' ? 'new' : value])
  t.strictSame(form.read(sentForm(pairs)).set, { gallery: [b, odd, c, { alt: 'new' }] })
  t.strictSame(
    changed(form, { 'gallery[1][alt]': undefined, 'gallery[1][wide]': undefined, 'gallery[1][__kept]': undefined }).set,
    { gallery: [a, odd, c] },
    'gaps are closed',
  )
  t.strictSame(
    form.read(sentForm([['gallery[0][alt]', 'x']])).set,
    { gallery: [{ alt: 'x', id: 1 }] },
    'without marks, by number',
  )
  t.throws(() => form.act(drawn, 'up:nothing.1'), { status: 400 } as never)
  t.throws(() => form.act(drawn, 'up:gallery.9'), { status: 400 } as never)
})

t.test('buttons reach lists within lists', async (t) => {
  const inputs: Record<string, FieldInput> = {
    parts: { type: 'list', of: { type: 'object', fields: { names: { type: 'list', of: { type: 'text' } } } } },
  }
  const form = formOf(inputs, { parts: [{ names: ['a', 'b'] }, { names: ['c'] }] })
  const drawn = sentForm(sentPairs(form.draw().fields))
  t.strictSame(form.read(form.act(drawn, 'down:parts.0.names.0')).set, { parts: [{ names: ['b', 'a'] }, { names: ['c'] }] })
  t.equal(viewAt(form.draw({ sent: form.act(drawn, 'add:parts.1.names') }).fields, 'parts[1][names][1]')?.value, '')
})

t.test('buttons reach lists by names that have dots', async (t) => {
  const record = { meta: { a: ['w'], 'a.b': ['x', 'y'] } }
  const form = new RecordForm({ fields: impliedFields(record), record, zone: 'UTC' })
  const drawn = sentForm(sentPairs(form.draw().fields))
  t.strictSame(form.read(form.act(drawn, 'up:meta.a.b.1')).set, { meta: { a: ['w'], 'a.b': ['y', 'x'] } })
  t.strictSame(form.read(form.act(drawn, 'remove:meta.a.0')).set, { meta: { a: [], 'a.b': ['x', 'y'] } })
})

t.test('errors stand at the fields that they are of', async (t) => {
  const form = formOf({ gallery: GALLERY }, { gallery: [] })
  const change = form.read(
    sentForm([
      ['gallery[]', ''],
      ['gallery[4][alt]', ''],
      ['gallery[7][alt]', 'x'],
    ]),
  )
  t.strictSame(change.set, { gallery: [{ alt: 'x' }] })
  const { fields, others } = form.draw({
    sent: change.sent,
    errors: { 'gallery.0.alt': ['The gallery.0.alt is required.', 'Wrong.'], 'gallery.0.no': ['None.'], elsewhere: ['Other.'] },
  })
  t.equal(viewAt(fields, 'gallery[0][alt]')?.error, 'Alt (Gallery 1) is required. Wrong.')
  t.equal(viewAt(fields, 'gallery[0]')?.error, 'None.', 'or at what they are in')
  t.strictSame(others, ['Other.'])
})

t.test('what is typed twice comes with its second text', async (t) => {
  const form = formOf({ mail: { type: 'email', rules: 'confirmed' } }, { mail: 'a@b.example' })
  t.strictSame(
    form.draw().fields.map(({ name, value }) => [name, value]),
    [
      ['mail', 'a@b.example'],
      ['mail_confirmation', ''],
    ],
  )
  t.strictSame(changed(form, { mail: 'c@d.example', mail_confirmation: 'c@d.example' }).set, {
    mail: 'c@d.example',
    mail_confirmation: 'c@d.example',
  })
  t.strictSame(changed(form, { mail: 'c@d.example' }).set, { mail: 'c@d.example', mail_confirmation: null })
})

t.test('what may not be changed, or is not shown, is not', async (t) => {
  const fields = [...fieldsOf({ a: { type: 'text' }, base: { type: 'text' }, any: { type: 'list' } }).values()]
  const record = { a: 'x', base: 'y', any: [{ b: 1 }] }
  const form = new RecordForm({ fields, record, zone: 'UTC', isReadOnly: ({ name }) => name === 'a' })
  t.strictSame(
    form.draw().fields.map(({ kind, isReadOnly }) => [kind, isReadOnly]),
    [
      ['text', true],
      ['kept', false],
      ['kept', false],
    ],
  )
  t.strictSame(
    form.read(
      sentForm([
        ['a', 'other'],
        ['base', 'other'],
      ]),
    ).set,
    {},
  )
  const { set, errors } = form.read(sentForm([['any[0][b]', '2']]))
  t.strictSame(set, {})
  t.match(errors, { any: [/can't be changed in a form/] })
  const many = new RecordForm({
    fields: impliedFields({ words: [] }),
    record: { words: Array.from({ length: 4600 }, String) },
    zone: 'UTC',
  })
  t.equal(many.draw().fields[0]?.kind, 'kept', 'more than a form may send')
  const wide = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`f${n}`, { type: 'text' } as const]))
  const rows = Array.from({ length: 300 }, () => ({ f1: 'x' }))
  const drawn = formOf({ rows: { type: 'list', of: { type: 'object', fields: wide } }, a: { type: 'text' } }, { rows }).draw()
    .fields
  t.strictSame(
    drawn.map(({ kind }) => kind),
    ['kept', 'text'],
    'also where most of it is empty',
  )
})
