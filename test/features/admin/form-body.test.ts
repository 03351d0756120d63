import fc from 'fast-check'
import Fastify from 'fastify'
import t from 'tap'
import { type FormBody, parseForm, useFormBodies } from '#features/admin/forms/body.ts'
import type { FormValue } from '#features/admin/forms/form-values.ts'
import { Failure } from '#lib/errors.ts'
import { longTest } from '#support/long.ts'

const parse = (text: string) => parseForm(Buffer.from(text))
const plain = (value: FormValue): unknown => JSON.parse(JSON.stringify(value))

function statusOf(work: () => unknown): number | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    return error instanceof Failure ? error.status : 500
  }
}

t.test('bracketed names make objects and lists', async (t) => {
  const { values } = parse('title=A+b&gallery[0][alt]=x&gallery%5B1%5D%5Balt%5D=y&tags[]=a&tags[]=b&body=a%0D%0Ab&empty=&bare&&')
  t.strictSame(plain(values), {
    title: 'A b',
    gallery: { 0: { alt: 'x' }, 1: { alt: 'y' } },
    tags: ['a', 'b'],
    body: 'a\r\nb',
    empty: '',
    bare: '',
  })
  t.strictSame(plain(parse('list[]=&list[2]=c&list[0]=a').values), { list: { '': [''], 0: 'a', 2: 'c' } })
  t.strictSame(plain(parse('').values), {})
  t.equal(parse('a=\ufeffx&b=é').values.b, 'é')
  t.equal(parse('a=\ufeffx').values.a, '\ufeffx')
})

t.test('of a name that comes twice the last counts, and it is said', async (t) => {
  const { values, doubled, pairs } = parse('on=false&on=true&_csrf=a&_csrf=a&tags[]=a&tags[]=a')
  t.equal(values.on, 'true')
  t.strictSame([...doubled], ['on', '_csrf'])
  t.equal(pairs.length, 6)
})

t.test('what is malformed is refused', async (t) => {
  const deep = `a${'[b]'.repeat(31)}`
  t.doesNotThrow(() => parse(`${deep}=1`))
  for (const text of [
    'a=%ff',
    'a=%ED%A0%80',
    'a=%zz',
    '%ff=a',
    'a[=1',
    'a]=1',
    'a[b]c=1',
    'a[[b]]=1',
    '[a]=1',
    '=1',
    'a[][b]=1',
    'a%00=1',
    'a[__proto__]=1',
    '__proto__=1',
    'constructor[prototype]=1',
    'a=1&a[b]=2',
    'a[b]=2&a=1',
    'a=1&a[]=2',
    'a[b][c]=1&a[b]=2',
    `${deep}[c]=1`,
    'a=1&'.repeat(5001),
    `${'a'.repeat(4001)}=1`,
    Array.from({ length: 1200 }, (_, n) => `a[${n}][b][c][d][e][f][g][h][i][j]=1`).join('&'),
  ])
    t.equal(
      statusOf(() => parse(text)),
      400,
      text.slice(0, 40),
    )
  t.equal(
    statusOf(() => parseForm(Buffer.from([0x61, 0x3d, 0xff]))),
    400,
  )
  t.doesNotThrow(() => parse('a=1&'.repeat(5000)))
  t.equal(({} as Record<string, unknown>).b, undefined)
})

longTest('any form that a browser sends is read as it is', async (t) => {
  const text = fc.string({ unit: 'binary' }).map((one) => Buffer.from(one).toString())
  const key = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }).filter((one) => /^[^[\]\0]+$/.test(one))
  const safe = key.filter(
    (one) => !['__proto__', 'constructor', 'prototype'].includes(one) && Buffer.from(one).toString() === one,
  )
  fc.assert(
    fc.property(fc.dictionary(safe, fc.dictionary(safe, text, { minKeys: 1 })), (sent) => {
      const params = new URLSearchParams()
      for (const [name, parts] of Object.entries(sent))
        for (const [part, value] of Object.entries(parts)) params.append(`${name}[${part}]`, Buffer.from(value).toString())
      const { values } = parse(params.toString())
      for (const [name, parts] of Object.entries(sent))
        for (const [part, value] of Object.entries(parts)) {
          const group = values[name] as Record<string, string>
          if (group[part] !== Buffer.from(value).toString()) throw new Error(JSON.stringify([name, part, group]))
        }
    }),
    { numRuns: 300 },
  )
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', '[', ']', '=', '&', '%', '0', '41', '+', '_') }), (body) => {
      try {
        parse(body)
      } catch (error) {
        if (!(error instanceof Failure)) throw error
      }
    }),
    { numRuns: 2000 },
  )
  t.pass('held')
})

t.test('forms are taken in their scope alone, and may be large', async (t) => {
  const app = Fastify({ bodyLimit: 2 * 1024 * 1024 })
  app.setErrorHandler((error: { status?: number; statusCode?: number }, _, reply) =>
    reply.code(error.status ?? error.statusCode ?? 500).send(),
  )
  app.post('/api', async () => 'taken')
  app.register(async (scope) => {
    useFormBodies(scope)
    scope.post('/admin', async ({ body }) => ({ length: String((body as FormBody).values.body).length }))
  })
  t.teardown(() => app.close())
  const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' }
  const payload = `body=${'%C3%A9'.repeat(1024 * 1024)}`
  const sent = await app.inject({ method: 'POST', url: '/admin', headers, payload })
  t.strictSame(sent.json(), { length: 1024 * 1024 })
  t.equal((await app.inject({ method: 'POST', url: '/api', headers, payload: 'a=1' })).statusCode, 415)
  t.equal((await app.inject({ method: 'POST', url: '/admin', headers, payload: payload.repeat(2) })).statusCode, 413)
  const packed = { ...headers, 'content-encoding': 'gzip' }
  t.equal((await app.inject({ method: 'POST', url: '/admin', headers: packed, payload: 'a=1' })).statusCode, 415)
})
