import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { InjectOptions } from 'fastify'
import t from 'tap'
import { keyOf } from '#core/key.ts'
import type { User } from '#features/users/user.ts'
import { type FormPart, formOf } from '#support/form.ts'
import { type PanelBrowser, type PanelGiven, panelOf } from '#support/panel.ts'
import { BY } from '#support/signing-in.ts'
import { pixels } from '../media/pictures.ts'

const PNG = await pixels().png().toBuffer()
const OTHER = await pixels().negate().png().toBuffer()
const FILES = { 'content/posts/hello.md': '---\ntitle: Hello\nstatus: published\n---\nText.\n' }

/** An answer, its body as text. */
interface Answer {
  readonly status: number
  readonly text: string
}

/** A body that comes in pieces; after the first, `between` is done. */
async function* trickling(pieces: readonly Buffer[], between: () => Promise<unknown>): AsyncGenerator<Buffer> {
  for (const [n, piece] of pieces.entries()) {
    if (n === 1) await between()
    yield piece
  }
}

function cut(body: Buffer, at: number): Buffer[] {
  return [body.subarray(0, at), body.subarray(at)]
}

/** Sends a body in pieces, with something done after the first. */
async function send(
  { app }: PanelGiven,
  request: string,
  headers: Readonly<Record<string, string>>,
  pieces: readonly Buffer[],
  between: () => Promise<unknown>,
): Promise<Answer> {
  const [method, url] = request.split(' ')
  const payload = Readable.from(trickling(pieces, between))
  const answer = await app.app.inject({ method, url, headers, payload } as InjectOptions)
  return { status: answer.statusCode, text: answer.body }
}

const idsOf = async ({ store }: PanelGiven['opened'], kind: string) =>
  (await store.heads(kind, {})).items.map(({ key }) => key.id)

/** Resolves once a file is there: what was sent before has been taken by then. */
async function taken({ store }: PanelGiven['opened'], id: string): Promise<void> {
  while (!(await store.get(keyOf('media', id)))) await nextTurn()
}

/** The ways in which a right ends while a body comes, with what is answered; each gives the secret of a caller. */
const ENDS = {
  'an account is disabled': async ({ app }: PanelGiven, user: User) => {
    const { token } = await app.features.auth.sessions.begin(user, 'password')
    return { token, status: 401, end: () => app.features.users.setDisabled(user.id, true, BY) }
  },
  'a session is ended': async ({ app }: PanelGiven, user: User) => {
    const { token } = await app.features.auth.sessions.begin(user, 'password')
    const bearer = { headers: { authorization: `Bearer ${token}` } }
    return { token, status: 401, end: () => app.bare('POST /api/auth/logout', bearer) }
  },
  'a token is revoked': async ({ app }: PanelGiven, user: User) => {
    const { token, view } = await app.features.tokens.create(
      { name: 'ci', scopes: ['edit'], types: [], expires: 'never' },
      undefined,
      user.id,
    )
    return { token, status: 401, end: () => app.features.tokens.revoke(view.id) }
  },
  "a token's owner may less": async ({ app }: PanelGiven, user: User) => {
    const { token } = await app.features.tokens.create(
      { name: 'ci', scopes: ['edit'], types: [], expires: 'never' },
      undefined,
      user.id,
    )
    return { token, status: 403, end: () => app.features.users.update(user.id, { role: 'viewer' }, BY) }
  },
} as const

t.test('while a body comes to the API, the right of its sender ends', (t) =>
  panelOf(t, FILES, async (t, given) => {
    const { app, opened } = given
    const form = formOf(['file', PNG, 'first.png'])
    const made = await app.ask('POST /api/media', { body: form.body, headers: form.headers })
    t.equal(made.status, 201)
    const requests = [
      ['POST /api/media', formOf(['file', PNG, 'late.png'])],
      ['PUT /api/media/first.png/file', formOf(['file', OTHER, 'late.png'])],
      ['POST /api/cms/posts', json({ title: 'Late' })],
      ['PUT /api/cms/posts/hello', json({ title: 'Late' })],
      ['POST /api/cms/taxonomy', json({ type: 'tag', name: 'Late' })],
    ] as const
    const all = Object.entries(ENDS).flatMap(([name, begin]) => requests.map((request) => ({ name, begin, request })))
    for (const [n, { name, begin, request }] of all.entries()) {
      const user = await app.features.users.create({ email: `e${n}@example.org`, name: 'E', role: 'editor' }, BY)
      const { token, status, end } = await begin(given, user)
      const [line, { body, headers }] = request
      const sent = { ...headers, authorization: `Bearer ${token}` }
      const late = await send(given, line, sent, cut(body, body.length >> 1), end)
      t.equal(late.status, status, `${name}, ${line}: ${late.text}`)
    }
    t.same(await idsOf(opened, 'media'), ['first.png'])
    t.equal((await app.ask('GET /api/media/first.png')).body.data.checksum, made.body.data.checksum)
    t.equal((await app.ask('GET /api/cms/posts/hello')).body.data.title, 'Hello')
    t.same(await idsOf(opened, 'posts'), ['hello'])
    t.same((await app.ask('GET /api/cms/taxonomy/tags')).body.data, [])
  }),
)

t.test('a retry that comes slowly is told nothing once its token is revoked', (t) =>
  panelOf(t, FILES, async (t, given) => {
    const { app } = given
    const { token, view } = await app.features.tokens.create({ name: 'ci', scopes: ['edit'], types: [], expires: 'never' })
    const form = formOf(['file', PNG, 'first.png'])
    const headers = { ...form.headers, authorization: `Bearer ${token}`, 'idempotency-key': 'once' }
    const ask = (end: () => Promise<unknown>) => send(given, 'POST /api/media', headers, cut(form.body, 200), end)
    t.equal((await ask(async () => undefined)).status, 201)
    t.equal((await ask(async () => undefined)).status, 201)
    t.equal((await ask(() => app.features.tokens.revoke(view.id))).status, 401)
  }),
)

t.test('while a form comes to the panel, an account is disabled', (t) =>
  panelOf(t, FILES, async (t, given) => {
    const { app, opened } = given
    const { user, browser } = await given.as('editor')
    const disable = () => app.features.users.setDisabled(user.id, true, BY)
    const enable = async () => {
      await app.features.users.setDisabled(user.id, false, BY)
      await browser.signIn(user.email)
      await browser.get('/admin/media')
    }
    await browser.get('/admin/media')
    const several = formOf(
      proofOf(browser),
      ['files[]', PNG, 'one.png'],
      ['files[]', PNG, 'two.png'],
      ['files[]', PNG, 'three.png'],
    )
    const atTwo = several.body.indexOf('two.png')
    const cutShort = await panelSend(given, browser, 'POST /admin/media', several, atTwo, () =>
      taken(opened, 'one.png').then(disable),
    )
    t.equal(cutShort.status, 401)
    t.match(cutShort.text, /choose the files again that are not there yet/)
    t.notMatch(cutShort.text, /one\.png/, 'who is gone is shown nothing')
    t.same(await idsOf(opened, 'media'), ['one.png'], 'what came before is there, and nothing after')

    await enable()
    const epilogue = formOf(proofOf(browser), ['files[]', PNG, 'two.png'], ['files[]', PNG, 'more.png'])
    const held = await panelSend(given, browser, 'POST /admin/media', epilogue, epilogue.body.length - 4, () =>
      taken(opened, 'more.png').then(disable),
    )
    t.equal(held.status, 401, 'nor is an answer drawn for them')

    await enable()
    const script = formOf(proofOf(browser), ['file', PNG, 'script.png'])
    const json = { accept: 'application/json' }
    t.match(await panelSend(given, browser, 'POST /admin/media', script, script.body.length - 60, disable, json), { status: 401 })

    await enable()
    const before = (await app.ask('GET /api/media/one.png')).body.data.checksum
    const other = formOf(proofOf(browser), ['file', OTHER, 'one.png'])
    t.equal(
      (await panelSend(given, browser, 'POST /admin/media/one.png/file', other, other.body.length - 60, disable)).status,
      401,
    )
    t.equal((await app.ask('GET /api/media/one.png')).body.data.checksum, before)

    await enable()
    const typed = new URLSearchParams({ _csrf: browser.csrf, title: 'Late', body: 'Text' }).toString()
    const record = { body: Buffer.from(typed), headers: { 'content-type': 'application/x-www-form-urlencoded' } }
    const late = await panelSend(given, browser, 'POST /admin/content/posts', record, typed.length - 5, disable)
    t.equal(late.status, 401)
    const [, kept = ''] = /name="_kept\[\]" value="([^"]*)"/.exec(late.text) ?? []
    t.match(Buffer.from(kept, 'base64url').toString(), /"Late"/, 'what was typed is kept for when they are back')
    t.same(await idsOf(opened, 'posts'), ['hello'])
  }),
)

t.test('while a form comes to the panel, its sender is given another role', (t) =>
  panelOf(t, FILES, async (t, given) => {
    const { app, opened } = given
    const { user, browser } = await given.as('editor')
    await browser.get('/admin/media')
    const form = formOf(proofOf(browser), ['files[]', PNG, 'one.png'], ['files[]', PNG, 'two.png'])
    const demote = () => taken(opened, 'one.png').then(() => app.features.users.update(user.id, { role: 'viewer' }, BY))
    t.equal((await panelSend(given, browser, 'POST /admin/media', form, form.body.length - 60, demote)).status, 401)
    t.same(await idsOf(opened, 'media'), ['one.png'])
  }),
)

function panelSend(
  given: PanelGiven,
  browser: PanelBrowser,
  request: string,
  { body, headers }: { body: Buffer; headers: Record<string, string> },
  at: number,
  between: () => Promise<unknown>,
  more: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const all = { host: 'localhost', origin: 'http://localhost', accept: 'text/html', cookie, ...headers, ...more }
  return send(given, request, all, cut(body, at), between)
}

function proofOf({ csrf }: PanelBrowser): FormPart {
  return ['_csrf', csrf]
}

function json(value: object): { body: Buffer; headers: Record<string, string> } {
  const body = Buffer.from(JSON.stringify(value))
  return { body, headers: { 'content-type': 'application/json' } }
}
