import { createHmac, createPrivateKey, type JsonWebKey, sign } from 'node:crypto'
import t from 'tap'
import { keyOf } from '#core/key.ts'
import { TestApp } from '#support/app.ts'
import { longTest } from '#support/long.ts'
import { PANEL_FEATURES, type PanelBrowser, panelOf } from '#support/panel.ts'
import { BY } from '#support/signing-in.ts'
import { plainTypes } from '#support/types.ts'

const FILES = {
  'content/posts/hello.md': '---\ntitle: Hello\nstatus: draft\n---\nStored *text*. [Other](posts/other)\n',
  'content/posts/other.md': '---\ntitle: Secret other\nstatus: draft\n---\n',
  'content/posts/live.md': '---\ntitle: Live\n---\n',
  'content/pages/wild.md': '---\ntitle: Wild\nstatus: draft\n---\n<script>document.title = 1</script>\n',
  'content/authors/ada.md': '---\ntitle: Ada\n---\n',
}
const TYPES = plainTypes({
  posts: { permalink: '/blog/{slug}' },
  pages: { permalink: '/{path}', html: 'trusted' },
  authors: { permalink: null },
})
const SITE = { site: { types: TYPES } }
const DAY = 86_400_000
const HELLO = '/admin/content/posts/hello/preview'

/** The address of the link on a page of the panel; the site's own host is in it. */
async function linkAt(browser: PanelBrowser, page: string): Promise<string> {
  const { html } = await browser.get(`${page}?link=true`)
  const [, url = ''] = /<code>https:\/\/example\.org(\/\.well-known\/quire\/preview\/[^<]+)<\/code>/.exec(html) ?? []
  return url
}

const decoded = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

longTest('a link shows one record as it is now to whoever has it, and nothing else', (t) =>
  panelOf(
    t,
    FILES,
    async (t, { browser, app, opened }) => {
      t.notMatch((await browser.get(HELLO)).html, 'well-known', 'none is made unless it is asked for')
      const url = await linkAt(browser, HELLO)
      const shown = await app.bare(`GET ${url}`)
      t.match(shown, { status: 200, text: /Stored <em>text<\/em>/ })
      t.equal(shown.text, (await browser.get('/admin/preview/posts/hello')).html, 'the page of the preview')
      t.match(shown.headers, {
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-robots-tag': 'noindex',
        'content-security-policy': /^sandbox; /,
        'set-cookie': undefined,
      })
      t.notMatch(shown.text, 'Secret other')
      for (const path of ['/blog/hello', '/blog/other', '/.well-known/quire/preview/', '/.well-known/quire/preview/x'])
        t.equal((await app.bare(`GET ${path}`)).status, 404, path)
      await opened.store.write([{ key: keyOf('posts', 'hello'), put: { set: { title: 'Changed' } } }], BY)
      t.match((await app.bare(`GET ${url}`)).text, 'Changed')
      t.match((await app.bare(`GET ${await linkAt(browser, '/admin/content/pages/wild/preview')}`)).headers, {
        'content-security-policy': /^sandbox allow-scripts; /,
      })
      const other = new TestApp(opened, { config: { features: PANEL_FEATURES } })
      t.teardown(() => other.close())
      t.equal((await other.bare(`GET ${url}`)).status, 200, 'on another node, too')
    },
    SITE,
  ),
)

t.test('a link ends by itself, with its record, with the key, and with the rights of its maker', (t) =>
  panelOf(
    t,
    FILES,
    async (t, { browser, app, opened, as }) => {
      const status = async (url: string) => (await app.bare(`GET ${url}`)).status
      const url = await linkAt(browser, HELLO)
      const { user, browser: theirs } = await as('editor')
      const [demoted, disabled] = [await linkAt(theirs, HELLO), await linkAt(theirs, '/admin/content/posts/other/preview')]
      t.equal(await status(demoted), 200)
      await app.features.users.update(user.id, { role: 'viewer' }, BY)
      t.equal(await status(demoted), 404, 'who may not read drafts any more shows none')
      await app.features.users.update(user.id, { role: 'editor' }, BY)
      await app.features.users.update(user.id, { disabled: true }, BY)
      t.equal(await status(disabled), 404)
      opened.clock.advance(7 * DAY - 120_000)
      t.equal(await status(url), 200)
      opened.clock.advance(120_000)
      t.equal(await status(url), 404, 'after seven days')
      await browser.signIn('ada@example.org')
      const [first, second] = [await linkAt(browser, HELLO), await linkAt(browser, '/admin/content/posts/other/preview')]
      await opened.store.write([{ key: keyOf('posts', 'other'), remove: true }], BY)
      t.equal(await status(second), 404, 'of a record that is gone')
      t.equal(await status(first), 200)
      await app.features.auth.keys.rotate(BY, true)
      t.equal(await status(first), 404, 'with the key')
    },
    SITE,
  ),
)

t.test('no link can be made of another, of another token, or of nothing', (t) =>
  panelOf(
    t,
    FILES,
    async (t, { browser, app, opened, ada }) => {
      const url = await linkAt(browser, HELLO)
      const at = url.slice(0, url.lastIndexOf('/') + 1)
      const [head = '', payload = '', signature = ''] = url.slice(at.length).split('.')
      const [header, claims] = [decoded(head), decoded(payload)]
      t.match(claims, { rec: ['posts', 'hello'], sub: ada.id, iss: 'https://example.org' })
      const { items } = await opened.store.browse('.keys', {})
      const key = createPrivateKey({ key: items[0]?.fields.private as JsonWebKey, format: 'jwk' })
      const made = (head: object, body: object) => {
        const text = `${encoded(head)}.${encoded(body)}`
        return `${text}.${sign(null, Buffer.from(text), key).toString('base64url')}`
      }
      t.equal((await app.bare(`GET ${at}${made(header, claims)}`)).status, 200, 'what is signed alike is the same')
      const now = Math.floor(opened.clock.now() / 1000)
      const { x: secret = '' } = (items[0]?.fields.public ?? {}) as JsonWebKey
      const plain = `${encoded({ ...header, alg: 'HS256' })}.${payload}`
      const forged: Record<string, string> = {
        'another id': `${head}.${encoded({ ...claims, rec: ['posts', 'other'] })}.${signature}`,
        'another type': `${head}.${encoded({ ...claims, rec: ['pages', 'wild'] })}.${signature}`,
        'a later end': `${head}.${encoded({ ...claims, exp: now + 10 ** 8 })}.${signature}`,
        'no signature': `${head}.${payload}.`,
        'half a signature': `${head}.${payload}.${signature.slice(0, 40)}`,
        'more behind it': `${head}.${payload}.${signature}AAAA`,
        'no algorithm': `${encoded({ ...header, alg: 'none' })}.${payload}.`,
        'an HMAC with the public key': `${plain}.${createHmac('sha256', secret).update(plain).digest('base64url')}`,
        'another site': made(header, { ...claims, iss: 'https://example.net' }),
        'another audience': made(header, { ...claims, aud: 'https://example.org/api' }),
        'another kind of token': made({ ...header, typ: 'at+jwt' }, claims),
        'no end': made(header, { ...claims, exp: undefined }),
        'an end that is over': made(header, { ...claims, exp: now - 1 }),
        'an end too far': made(header, { ...claims, iat: now - 8 * 86_400, exp: now + 1000 }),
        'no record': made(header, { ...claims, rec: undefined }),
        'more than a record': made(header, { ...claims, rec: ['posts', 'hello', 'x'] }),
        'no text': made(header, { ...claims, rec: [{}, 1] }),
        'a private kind': made(header, { ...claims, rec: ['.keys', items[0]?.key.id] }),
        users: made(header, { ...claims, rec: ['users', ada.id] }),
        'a path': made(header, { ...claims, rec: ['posts', '../hello'] }),
        nobody: made(header, { ...claims, sub: 'nobody' }),
        'an earlier account': made(header, { ...claims, ver: 0 }),
        'another key': made({ ...header, kid: '0'.repeat(16) }, claims),
        'a key by path': made({ ...header, kid: '../../keys' }, claims),
        'a type without pages': made(header, { ...claims, rec: ['authors', 'ada'] }),
        long: 'a'.repeat(4000),
        nul: '%00',
      }
      const answers = new Set<string>()
      for (const [name, token] of Object.entries(forged)) {
        const { status, text } = await app.bare(`GET ${at}${token}`)
        t.equal(status, 404, name)
        answers.add(text)
      }
      t.equal(answers.size, 1, 'and nobody is told why')
      const preview = url.slice(at.length)
      t.equal((await app.bare('GET /api/cms/types', { headers: { authorization: `Bearer ${preview}` } })).status, 401)
      t.equal((await app.bare(`POST ${url}`)).status, 405)
    },
    SITE,
  ),
)
