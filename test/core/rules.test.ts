import fc from 'fast-check'
import t from 'tap'
import { say } from '#core/rules/checks.ts'
import { formatRules, parseRules, RULES } from '#core/rules/parse.ts'
import { checkFields, lookups, storedFields } from '#core/rules/rules.ts'
import type { ContentType } from '#core/types/content-type.ts'
import type { FieldInput } from '#core/types/fields.ts'
import { contentTypes, type TypeInput } from '#core/types/types.ts'
import type { Fields, Json } from '#lib/json.ts'
import { cpuMs } from '#support/cpu.ts'

const statuses = { draft: { live: false, to: ['published'] }, published: { live: true, to: ['draft'] } }
const taxonomies = { tags: { singular: 'tag', hierarchical: false } }

function typeOf(input?: TypeInput): ContentType {
  const types = input ? { posts: input } : {}
  const type = contentTypes({ types, taxonomies, statuses, timezone: 'UTC' }).get('posts')
  if (!type) throw new Error('There is no such type.')
  return type
}

function fieldType(field: FieldInput): ContentType {
  return typeOf({ fields: { value: field } })
}

/** The messages that a value earns in a field of its own. */
function messages(field: FieldInput, value: Json, more: Fields = {}): string[] {
  return checkFields(fieldType(field), { value, ...more }, { partial: true }).value ?? []
}

t.test('field types take their own values and coerce none', async (t) => {
  const good: Record<string, Json[]> = {
    text: ['', 'a', 'ein\nText'],
    markdown: ['# a'],
    number: [0, -1.5, 1e300],
    integer: [0, -7, Number.MAX_SAFE_INTEGER],
    boolean: [true, false],
    date: ['2026-02-28', '2024-02-29'],
    datetime: ['2026-11-20T12:00:00Z', '2026-11-20t12:00+01:00', '2026-11-20T23:59:59.123Z', '2026-11-20'],
    select: ['red'],
    list: [[], [1, 'a', null]],
    object: [{}, { a: [1] }],
    reference: ['ada', 'en~ada'],
    media: ['2026/photo.jpg'],
    slug: ['a', 'über-uns', 'v18.17.0'],
    email: ['a@b.c', 'a+b@xn--bcher-kva.example', 'quire@localhost'],
    url: [
      ...['https://example.org', 'http://127.0.0.1:3000/a?b#c', '/', '/about?x#y', './cat.jpg', '../trip/cat%20x.jpg'],
      ...['cat.jpg', 'pics/cat.jpg#top', './notes.md'],
    ],
    color: ['#fff', '#1a2B3c', '#11223344'],
    json: [1, 'a', true, [], { a: null }],
  }
  const bad: Record<string, Json[]> = {
    text: [1, true, [], {}],
    markdown: [1],
    number: ['1', '0x10', true, [], {}],
    integer: [1.5, '1', 2 ** 53],
    boolean: ['true', 1, 0],
    date: ['2026-02-30', '2026-1-1', '2026-01-01T00:00:00Z', 20260101],
    datetime: ['2026-11-20T12:00:00', '2026-11-20T24:00:00Z', '2026-02-30T12:00:00Z', 'tomorrow', 0],
    select: ['blue', 1, ['red']],
    list: ['a', {}, 1],
    object: [[], 'a'],
    reference: ['', '../x', 'a/b', '.x', 1, {}],
    media: ['', 'a\u0000', 1],
    slug: ['', 'a/b', 'a~b', '.a', 'a\n', 'x'.repeat(101), 'CON'],
    email: [
      'a',
      'a@',
      '@b',
      'a@b@c',
      'a b@c.d',
      'a@b.c\nBcc: d',
      'A <a@b.c>',
      ['a@b.c'],
      `${'x'.repeat(65)}@b.c`,
      `a@${'x.'.repeat(126)}cd`,
    ],
    url: [
      ...['example.org', '//example.org', 'javascript:alert(1)', 'ftp://a.b', 'http://', 'https://a b', 'https://a.b/"x'],
      ...['/\\example.org', '\\\\example.org', '/\t/example.org', '/a b', '/<a>', 'data:x.jpg', 'words', '', '#a', '...', 1],
    ],
    color: ['red', '#12', '#12345', '#ggg'],
    json: [],
  }
  for (const [type, values] of Object.entries(good)) {
    const field = { type, options: ['red'] } as FieldInput
    for (const value of [...values, null]) t.strictSame(messages(field, value), [], `${type} takes ${JSON.stringify(value)}`)
    for (const value of bad[type] ?? []) t.equal(messages(field, value).length, 1, `${type} refuses ${JSON.stringify(value)}`)
  }
})

t.test('each rule says what it wants', async (t) => {
  const json = (rules: string): FieldInput => ({ type: 'json', rules })
  const cases: [rules: string, value: Json, message: string | undefined][] = [
    ['required', null, 'The value is required.'],
    ['required', '', 'The value is required.'],
    ['required', ' \n', 'The value is required.'],
    ['required', [], 'The value is required.'],
    ['required', 0, undefined],
    ['required', false, undefined],
    ['nullable', null, undefined],
    ['min:3', null, undefined],
    ['string', 1, 'The value must be a string.'],
    ['string', 'a', undefined],
    ['integer', 1.5, 'The value must be an integer.'],
    ['number', '1', 'The value must be a number.'],
    ['boolean', 1, 'The value must be true or false.'],
    ['array', {}, 'The value must be an array.'],
    ['object', [], 'The value must be an object.'],
    ['date', '2026-02-30', 'The value is not a valid date.'],
    ['date', '2026-02-28', undefined],
    ['email', 'a@', 'The value must be a valid email address.'],
    ['url', 'javascript:1', 'The value must be a valid URL.'],
    ['slug', 'a/b', "The value is not a valid slug: it has a character that ids don't have (/)."],
    ['min:0', -1, 'The value must be at least 0.'],
    ['min:0', 0, undefined],
    ['min:2', 'ä', 'The value must be at least 2 characters.'],
    ['min:2', '👋', 'The value must be at least 2 characters.'],
    ['min:2', [1], 'The value must have at least 2 items.'],
    ['min:1', true, 'The value has no size that could be measured.'],
    ['max:1.5', 2, 'The value must not be greater than 1.5.'],
    ['max:2', 'abc', 'The value must not be greater than 2 characters.'],
    ['max:1', [1, 2], 'The value must not have more than 1 item.'],
    ['between:1,3', 4, 'The value must be between 1 and 3.'],
    ['between:1,3', 'abcd', 'The value must be between 1 and 3 characters.'],
    ['between:1,3', [], 'The value must have between 1 and 3 items.'],
    ['between:1,3', 3, undefined],
    ['min:1', {}, 'The value must have at least 1 item.'],
    ['max:1', 'ab', 'The value must not be greater than 1 character.'],
    ['in:a, b', 'c', 'The value must be one of a, b.'],
    ['in:a, b', 'b', undefined],
    ['in:1,2', 1, undefined],
    ['in:a,b', ['a', 'c'], 'The value must be one of a, b.'],
    ['regex:/^[a-z]+$/', 'A', 'The value format is invalid.'],
    ['regex:/^[a-z]+$/i', 'A', undefined],
    ['regex:/^a|b$/', 'xb', undefined],
    ['regex:/^a$/', 1, 'The value format is invalid.'],
  ]
  for (const [rules, value, message] of cases) {
    t.strictSame(messages(json(rules), value), message === undefined ? [] : [message], `${rules} ${JSON.stringify(value)}`)
  }
  t.equal(say('starts_at', 'is required.'), 'The starts_at is required.', 'by the name that is sent')
  t.strictSame(messages(json('confirmed'), 'a'), ['The value confirmation does not match.'])
  t.strictSame(messages(json('confirmed'), 'a', { value_confirmation: 'b' }), ['The value confirmation does not match.'])
  t.strictSame(messages(json('confirmed'), 'a', { value_confirmation: 'a' }), [])
  t.strictSame(messages({ type: 'text', rules: ['min:3', 'regex:/^[0-9]+$/'] }, 'a'), [
    'The value must be at least 3 characters.',
    'The value format is invalid.',
  ])
  const tested = new Set([...cases.map(([rules]) => rules.split(':')[0]), 'confirmed', 'unique', 'exists'])
  t.strictSame(
    RULES.filter((rule) => !tested.has(rule)),
    [],
    'every rule is held',
  )
})

t.test('a hostile pattern takes no time', async (t) => {
  const began = cpuMs()
  t.equal(messages({ type: 'text', rules: 'regex:/^(a+)+$/' }, `${'a'.repeat(9000)}!`).length, 1)
  t.ok(cpuMs() - began < 2000)
})

t.test('rules are read from a string or a list', async (t) => {
  t.strictSame(parseRules('required| min: 3 |regex:/a|b/'), {
    rules: [{ name: 'required' }, { name: 'min', argument: '3' }, { name: 'regex', argument: '/a|b/' }],
  })
  t.strictSame(parseRules(''), { rules: [] })
  t.match(parseRules('requird').fault, 'Did you mean "required"?')
  t.match(parseRules('zzzzzz').fault, 'The rules are required')
  const wrong = [
    'required:1',
    'min',
    'min:x',
    'between:1',
    'between:3,1',
    'in:',
    'regex:abc',
    'regex:/(/',
    'regex:/(?=a)/',
    'unique',
    'unique:a,b,c',
    'exists:',
    'toString',
    '__proto__',
  ]
  for (const rule of wrong) t.ok(parseRules(rule).fault, rule)
  const number = fc.integer({ min: -999, max: 999 }).map(String)
  const word = fc.stringMatching(/^[a-z]{1,8}$/)
  const rule = fc.oneof(
    fc.constantFrom('required', 'nullable', 'email', 'confirmed'),
    fc.tuple(fc.constantFrom('min', 'max'), number).map(([name, n]) => `${name}:${n}`),
    fc.array(word, { minLength: 1, maxLength: 4 }).map((list) => `in:${list.join(',')}`),
    fc.tuple(word, word).map(([type, field]) => `unique:${type},${field}`),
  )
  const last = fc.option(
    fc.stringMatching(/^[a-z|]{1,8}$/).map((pattern) => `regex:/${pattern}/`),
    { nil: undefined },
  )
  const roundTrip = fc.property(fc.array(rule, { maxLength: 5 }), last, (list, regex) => {
    const all = [...list, ...(regex === undefined ? [] : [regex])]
    const { rules, fault } = parseRules(all.join('|'))
    return (
      fault === undefined &&
      JSON.stringify(formatRules(rules)) === JSON.stringify(all) &&
      JSON.stringify(parseRules(all).rules) === JSON.stringify(rules)
    )
  })
  t.doesNotThrow(() => fc.assert(roundTrip, { numRuns: 300 }))
  t.doesNotThrow(() => fc.assert(fc.property(fc.string(), (text) => Array.isArray(parseRules(text).rules))))
})

t.test('a new record needs what is required, and a title or a slug', async (t) => {
  const type = typeOf({ fields: { price: { type: 'number', rules: 'required|min:0' } } })
  t.strictSame(checkFields(type, {}, { partial: false }), {
    price: ['The price is required.'],
    title: ['The title is required.'],
  })
  t.strictSame(checkFields(type, { slug: 'a', price: 1 }, { partial: false }), {})
  t.strictSame(checkFields(type, {}, { partial: true }), {}, 'a change leaves alone what it does not send')
  t.strictSame(checkFields(type, { price: null }, { partial: true }), { price: ['The price is required.'] })
  t.strictSame(checkFields(type, { price: -1 }, { partial: true }), { price: ['The price must be at least 0.'] })
})

t.test('what every record has is checked in every type', async (t) => {
  const type = typeOf()
  const wrong: [string, Json][] = [
    ['title', 1],
    ['title', ''],
    ['title', 'a\nb'],
    ['title', 'x'.repeat(201)],
    ['slug', 'a/b'],
    ['slug', 'x'.repeat(101)],
    ['status', 'publishd'],
    ['status', null],
    ['body', 1],
    ['body', 'ä'.repeat(524_289)],
    ['tags', 'news'],
    ['tags', [1]],
    ['author', { name: 'x' }],
    ['published_at', 'tomorrow'],
    ['expires_at', '2026-11-20T12:00:00'],
    ['aliases', [1]],
    ['permalink', 'blog'],
    ['noindex', 'yes'],
  ]
  for (const [name, value] of wrong)
    t.equal(
      checkFields(type, { [name]: value }, { partial: true })[name]?.length,
      1,
      `${name}: ${JSON.stringify(value)?.slice(0, 40)}`,
    )
  const right: Fields = {
    title: 'x'.repeat(200),
    slug: 'x'.repeat(100),
    status: 'scheduled',
    body: 'x'.repeat(1024 * 1024),
    tags: ['News'],
    author: 'ada',
    published_at: '2026-11-20',
    expires_at: null,
    aliases: ['/old'],
    permalink: '/new',
    noindex: true,
  }
  t.strictSame(checkFields(type, right, { partial: true }), {})
  t.strictSame(checkFields(typeOf({}), right, { partial: true }), {}, 'in a declared one, too')
})

t.test('a declared type refuses what it does not know', async (t) => {
  const type = typeOf({ fields: { excerpt: { type: 'text' } } })
  t.strictSame(checkFields(type, { excrept: 'a' }, { partial: true }), {
    excrept: ['The type posts has no field "excrept". Did you mean "excerpt"?'],
  })
  t.strictSame(checkFields(typeOf({ additional_fields: true }), { excrept: 'a' }, { partial: true }), {})
  t.strictSame(checkFields(typeOf(), { anything: { deep: [1] } }, { partial: true }), {})
})

t.test('keys of other tools are no way past the checks of the fields they stand for', async (t) => {
  const type = typeOf({ additional_fields: true, map: { autor: 'author' } })
  for (const [name, meant] of Object.entries({
    draft: 'status',
    date: 'published_at',
    lastmod: 'updated_at',
    tag: 'tags',
    autor: 'author',
  })) {
    t.strictSame(checkFields(type, { [name]: 'x' }, { partial: true }), {
      [name]: [`The field "${name}" is called "${meant}" here.`],
    })
  }
})

t.test('limits', async (t) => {
  const check = (fields: Fields, type = typeOf()) => checkFields(type, fields, { partial: true })
  const nested = (depth: number): Json => (depth === 0 ? 1 : [nested(depth - 1)])
  t.ok(check(Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`f${n}`, n]))).fields)
  t.strictSame(check(Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`f${n}`, n]))), {})
  t.strictSame(check({ a: nested(20) }), {})
  t.ok(check({ a: nested(21) }).a)
  t.strictSame(check({ a: 'x'.repeat(10_000) }), {})
  t.ok(check({ a: 'x'.repeat(10_001) }).a)
  t.ok(check({ a: { b: ['x'.repeat(10_001)] } }).a)
  t.strictSame(check({ a: '👋'.repeat(10_000) }), {}, 'characters are counted, not their halves')
  const long = typeOf({ fields: { a: { type: 'text', rules: 'max:20000' } } })
  t.strictSame(check({ a: 'x'.repeat(20_000) }, long), {}, 'a rule of its own says how long')
  t.strictSame(check({ a: 'x'.repeat(20_001) }, long).a?.length, 1)
  t.ok(check({ a: Array.from({ length: 1001 }, () => 1) }).a)
  const endless = new Proxy(Array.from({ length: 1_000_000 }, () => 1) as Json[], {
    ownKeys: () => {
      throw new Error('A list that is too long is not looked through.')
    },
  })
  t.ok(check({ a: endless }).a)
  t.ok(check({ a: 'nul\0' }).a)
  t.ok(check({ a: '\ud800' }).a)
  for (const key of ['__proto__', 'constructor', 'prototype']) {
    t.equal(Object.keys(check(JSON.parse(`{"a": {"${key}": 1}}`))).length, 1, key)
    t.equal(Object.keys(check(JSON.parse(`{"${key}": 1}`))).length, 1, key)
  }
  for (const key of ['', ' a', 'a\n', 'x'.repeat(101)]) t.equal(Object.keys(check({ [key]: 1 })).length, 1, JSON.stringify(key))
})

t.test('nothing that a request sends makes the check throw', async (t) => {
  const type = typeOf({
    additional_fields: true,
    fields: {
      a: { type: 'text', rules: 'required|min:2' },
      b: { type: 'datetime' },
      c: { type: 'list', rules: 'max:2' },
      d: { type: 'url' },
      e: { type: 'json', rules: 'between:1,2|regex:/^a/' },
    },
  })
  const property = fc.property(
    fc.dictionary(
      fc.oneof(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'title', 'slug', 'status', 'tags', 'body'), fc.string()),
      fc.jsonValue(),
    ),
    (fields) => {
      const errors = checkFields(type, fields as Fields, { partial: false })
      return Object.values(errors).every((list) => list.length > 0 && list.every((text) => /[.]$/.test(text)))
    },
  )
  t.doesNotThrow(() => fc.assert(property, { numRuns: 500 }))
})

t.test('what only the store can answer is asked of it', async (t) => {
  const type = typeOf({
    fields: {
      sku: { type: 'text', rules: 'unique:posts' },
      code: { type: 'text', rules: 'unique:products,sku' },
      author: { type: 'reference', to: 'authors' },
      editor: { type: 'reference', to: 'authors', rules: 'exists:authors' },
      related: { type: 'list', rules: 'exists:posts' },
    },
  })
  const taken = (field: string) => `The ${field} has already been taken.`
  t.strictSame(lookups(type, { sku: 'a', code: 'b', author: 'ada', editor: 'bob', related: ['x', 'y'] }), [
    { field: 'sku', kind: 'unique', type: 'posts', target: 'sku', value: 'a', message: taken('sku') },
    { field: 'code', kind: 'unique', type: 'products', target: 'sku', value: 'b', message: taken('code') },
    {
      field: 'author',
      kind: 'exists',
      type: 'authors',
      target: 'id',
      value: 'ada',
      message: 'The selected author is invalid: there is no "ada" in authors.',
    },
    {
      field: 'editor',
      kind: 'exists',
      type: 'authors',
      target: 'id',
      value: 'bob',
      message: 'The selected editor is invalid: there is no "bob" in authors.',
    },
    {
      field: 'related.0',
      kind: 'exists',
      type: 'posts',
      target: 'id',
      value: 'x',
      message: 'The selected related.0 is invalid: there is no "x" in posts.',
    },
    {
      field: 'related.1',
      kind: 'exists',
      type: 'posts',
      target: 'id',
      value: 'y',
      message: 'The selected related.1 is invalid: there is no "y" in posts.',
    },
  ])
  t.strictSame(lookups(type, { sku: null }), [])
  t.strictSame(lookups(type, {}), [])
})

t.test('a confirmation is asked for and not stored', async (t) => {
  const type = typeOf({ fields: { email: { type: 'email', rules: 'confirmed' } } })
  const sent = { title: 'A', email: 'a@b.c', email_confirmation: 'a@b.c' }
  t.strictSame(checkFields(type, sent, { partial: false }), {})
  t.strictSame(storedFields(type, sent), { title: 'A', email: 'a@b.c' })
  t.ok(checkFields(type, { title_confirmation: 'A' }, { partial: true }).title_confirmation, 'only where the rule is')
})
