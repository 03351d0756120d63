import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import Fastify from 'fastify'
import t from 'tap'
import { tagged } from '#http/answers/etag.ts'
import { codingOf, Packer } from '#http/answers/packed.ts'
import { TestApp } from '#support/app.ts'
import { eachStore } from '#support/stores.ts'

t.test('a client gets the coding that it likes best', (t) => {
  const cases: Record<string, ReturnType<typeof codingOf>> = {
    'gzip, deflate, br, zstd': 'br',
    'gzip, br;q=0.9': 'gzip',
    'gzip;q=0.2, br;q=0.8': 'br',
    GZIP: 'gzip',
    '*': 'br',
    'br;q=0, *': 'gzip',
    '*;q=0': undefined,
    'gzip;q=0': undefined,
    'gzip;q=0.000, br;q=0.0': undefined,
    'gzip;q=x': undefined,
    'identity, gzip;q=0.5': undefined,
    'identity;q=0.5, gzip;q=0.5': 'gzip',
    'identity;q=0, gzip': 'gzip',
    'x-gzip, deflate': undefined,
    '': undefined,
    ',;,': undefined,
  }
  for (const [header, coding] of Object.entries(cases)) t.equal(codingOf(header), coding, header)
  t.equal(codingOf(undefined), undefined)
  t.end()
})

t.test('what is small, long or packed already is sent as it is', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  const packer = new Packer()
  const bodies: Record<string, [Buffer, string]> = {
    page: [Buffer.from('word '.repeat(1000)), 'text/html; charset=utf-8'],
    feed: [Buffer.from('word '.repeat(1000)), 'application/atom+xml; charset=utf-8'],
    small: [Buffer.from('word'), 'text/html; charset=utf-8'],
    picture: [Buffer.from('word '.repeat(1000)), 'image/png'],
    font: [Buffer.from('word '.repeat(1000)), 'font/woff2'],
  }
  for (const [name, [body, type]] of Object.entries(bodies))
    app.get(`/${name}`, (request, reply) => packer.send(request, reply.header('vary', 'Origin'), tagged(body), type))
  const ask = (name: string) => app.inject({ url: `/${name}`, headers: { 'accept-encoding': 'gzip' } })
  for (const name of ['page', 'feed']) {
    const { headers, rawPayload } = await ask(name)
    t.match(headers, { 'content-encoding': 'gzip', vary: 'Origin, Accept-Encoding', 'content-length': String(rawPayload.length) })
    t.ok(gunzipSync(rawPayload).equals(bodies[name]?.[0] ?? Buffer.alloc(0)))
  }
  for (const name of ['small', 'picture', 'font'])
    t.match((await ask(name)).headers, { 'content-encoding': undefined, vary: 'Origin' }, name)
  const many = await Promise.all(Array.from({ length: 20 }, () => ask('page')))
  t.equal(new Set(many.map(({ rawPayload }) => rawPayload.toString('hex'))).size, 1)
})

t.test('pages, feeds and the theme are packed, each coding with its ETag; answers with secrets are not', (t) =>
  eachStore(
    t,
    {
      files: { 'content/a.md': `# A\n\n${'word '.repeat(1000)}\n` },
      beside: { 'static/app.js': 'call();\n'.repeat(1000) },
      now: '2026-06-01T00:00:00.000Z',
    },
    async (t, opened) => {
      const features = { site: true, sitemap: true, api: true, auth: true, admin: true }
      const app = new TestApp(opened, { config: { features } })
      t.teardown(() => app.close())
      const ask = (url: string, headers: Record<string, string> = {}) =>
        app.app.inject({ url, headers: { host: 'localhost', ...headers } })
      const plain = await ask('/a')
      const css = /href="(\/assets\/[^"]+\.css)"/.exec(plain.body)?.[1] ?? ''
      for (const url of ['/a', '/', '/feed.xml', css, '/app.js']) {
        const [none, br, gz] = [
          await ask(url),
          await ask(url, { 'accept-encoding': 'br' }),
          await ask(url, { 'accept-encoding': 'gzip' }),
        ]
        if (none.rawPayload.length < 1024) continue
        t.match(
          [none, br, gz].map(({ headers }) => headers['content-encoding'] ?? ''),
          ['', 'br', 'gzip'],
          url,
        )
        t.ok(brotliDecompressSync(br.rawPayload).equals(none.rawPayload) && gunzipSync(gz.rawPayload).equals(none.rawPayload))
        t.equal(new Set([none, br, gz].map(({ headers }) => headers.etag)).size, 3)
        for (const { headers } of [none, br, gz]) t.match(headers.vary, /accept-encoding/i)
        const known = (coding: string, etag: unknown) => ask(url, { 'accept-encoding': coding, 'if-none-match': String(etag) })
        t.match(await known('br', br.headers.etag), {
          statusCode: 304,
          rawPayload: { length: 0 },
          headers: { etag: br.headers.etag, vary: /accept-encoding/i },
        })
        t.equal((await known('gzip', br.headers.etag)).statusCode, 200, 'other bytes are sent')
        const head = await app.app.inject({ method: 'HEAD', url, headers: { 'accept-encoding': 'br' } })
        t.match(head.headers, { 'content-encoding': 'br', etag: br.headers.etag, 'content-length': br.headers['content-length'] })
      }
      const authorization = `Bearer ${await app.token()}`
      for (const url of ['/admin/login', '/api/cms/pages', '/api/auth/jwks.json'])
        t.equal((await ask(url, { authorization, 'accept-encoding': 'br, gzip' })).headers['content-encoding'], undefined, url)
    },
  ),
)

t.test('a part of a file is of its bytes as they are, and a file that changes is packed anew', (t) => {
  const text = 'body { color: red }\n'.repeat(200)
  const beside = { 'static/a.css': text, 'static/b.css': text, 'static/large.txt': 'word '.repeat(500_000), 'static/p.png': text }
  return eachStore(t, { beside }, async (t, opened) => {
    const app = new TestApp(opened, { config: { features: { site: true } } })
    t.teardown(() => app.close())
    const ask = (url: string, headers: Record<string, string> = {}) =>
      app.app.inject({ url, headers: { 'accept-encoding': 'br, gzip', ...headers } })
    const br = await ask('/a.css')
    t.match(br.headers, { 'content-encoding': 'br', 'x-content-type-options': 'nosniff', 'cache-control': 'no-cache' })
    const part = await ask('/a.css', { range: 'bytes=0-3' })
    t.match(part, {
      statusCode: 206,
      body: 'body',
      headers: { 'content-encoding': undefined, 'accept-ranges': 'bytes', vary: /accept-encoding/i },
    })
    t.not(part.headers.etag, br.headers.etag)
    const whole = await ask('/a.css', { range: 'bytes=0-3', 'if-range': String(br.headers.etag) })
    t.match(
      whole,
      { statusCode: 200, body: text, headers: { 'content-encoding': undefined } },
      'the packed bytes are no part of it',
    )
    t.equal((await ask('/a.css', { range: 'bytes=99999-' })).statusCode, 416)
    for (const url of ['/large.txt', '/p.png']) t.equal((await ask(url)).headers['content-encoding'], undefined, url)
    if (!opened.site) return
    opened.site.write('static/a.css', text.replaceAll('red', 'tan'))
    t.match(brotliDecompressSync((await ask('/a.css')).rawPayload).toString(), 'color: tan')
    t.match(brotliDecompressSync((await ask('/b.css')).rawPayload).toString(), 'color: red')
  })
})
