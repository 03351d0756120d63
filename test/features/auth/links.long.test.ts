import { hash } from 'node:crypto'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { AuthSettings } from '#features/auth/auth.ts'
import { addressWith } from '#features/auth/sessions/handovers.ts'
import { BY, type Given, signingIn, tokenIn } from '#support/signing-in.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const email = 'ada@example.org'
const FRONT = 'https://front.example/signed-in?from=cms'

function each(name: string, body: (t: Test, given: Given) => Promise<void>, auth: Partial<AuthSettings> = {}): void {
  t.test(name, (t) => signingIn(t, body, { config: { auth: { redirects: [FRONT], ...auth } } }))
}

/** The token of a new link for Ada, the minute between two messages gone by. */
async function linkFor({ post, message, opened }: Given, to?: string): Promise<string> {
  opened.clock.advance(MINUTE)
  await post('magic-link', { email, ...(to !== undefined && { to }) })
  return tokenIn(await message())
}

const VERIFY = '/api/auth/magic-link/verify'

function spend({ app }: Given, token: string) {
  return app.bare(`GET ${VERIFY}?token=${token}`, { headers: { accept: 'application/json' } })
}

function open({ app }: Given, token: string, headers: Record<string, string> = {}) {
  return app.bare(`GET ${VERIFY}?token=${token}`, {
    headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', ...headers },
  })
}

function submit({ app }: Given, token: string, headers: Record<string, string> = {}) {
  return app.bare(`POST ${VERIFY}`, {
    body: new URLSearchParams({ token }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://example.org', ...headers },
  })
}

each('a link that came by mail signs in, once', async (t, given) => {
  const sent = await given.post('magic-link', { email })
  t.same([sent.status, sent.body.expires_in], [202, 600])
  const link = (await given.message()) ?? ''
  t.match(link, /^https:\/\/example\.org\/api\/auth\/magic-link\/verify\?token=[\w-]{43}$/)
  const answer = await spend(given, tokenIn(link))
  t.same([answer.status, answer.body.token_type, answer.headers['cache-control']], [200, 'Bearer', 'no-store'])
  t.equal((await spend(given, tokenIn(link))).status, 401)
})

each('a link begins with the site’s address, whatever a request says of itself', async (t, { app, message }) => {
  const headers = {
    host: 'evil.example',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'http',
    forwarded: 'host=evil.example',
  }
  await app.bare('POST /api/auth/magic-link', { body: { email }, headers })
  t.ok((await message())?.startsWith('https://example.org/api/'))
})

each('a link is over after ten minutes, and when a newer one is made', async (t, given) => {
  const first = await linkFor(given)
  given.opened.clock.advance(10 * MINUTE)
  t.equal((await spend(given, first)).status, 401)
  const [second, third] = [await linkFor(given), await linkFor(given)]
  t.equal((await spend(given, second)).status, 401)
  t.equal((await spend(given, third)).status, 200)
})

each('of a hundred who open one link at once, one signs in', async (t, given) => {
  const token = await linkFor(given)
  const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => (n % 2 ? spend(given, token) : submit(given, token))))
  t.equal(answers.filter(({ status }) => status === 200).length, 1)
  t.equal(answers.filter(({ status }) => status === 401).length, 99)
})

each('a browser, and a program that looks at links, gets a page whose button spends it', async (t, given) => {
  const token = await linkFor(given)
  for (const accept of ['text/html', '*/*', 'text/html,application/json', '']) {
    const page = await open(given, token, { accept })
    t.same([page.status, page.headers['content-type']], [200, 'text/html; charset=utf-8'], accept)
    t.match(page.text, /opened a link from an e-mail/)
    t.match(page.text, `<input type="hidden" name="token" value="${token}">`)
  }
  const head = await given.app.bare(`HEAD ${VERIFY}?token=${token}`, { headers: { accept: 'application/json' } })
  t.same([head.status, head.text], [200, ''], 'HEAD spends nothing')
  const submitted = await submit(given, token)
  t.same([submitted.status, submitted.body.token_type, submitted.headers['cache-control']], [200, 'Bearer', 'no-store'])
  const over = await open(given, token)
  t.same([over.status, over.headers['content-type']], [401, 'text/html; charset=utf-8'])
  t.match(over.text, /no longer good/)
  t.equal((await submit(given, token)).status, 401)
})

each('the page lets nothing in, and tells its address to nobody', async (t, given) => {
  const token = await linkFor(given, FRONT)
  const { headers, text } = await open(given, token)
  const style = /<style>([\s\S]*?)<\/style>/.exec(text)?.[1] ?? ''
  t.equal(
    headers['content-security-policy'],
    `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; form-action 'self' https://front.example; base-uri 'none'; frame-ancestors 'none'`,
  )
  t.equal(headers['referrer-policy'], 'same-origin')
  t.equal(headers['cache-control'], 'no-store')
  t.equal(headers['x-content-type-options'], 'nosniff')
  t.notMatch(text, /<script|<img|<link|@import|url\(|style=|\son\w+=/)
})

each('a form that another site sends is refused, and spends nothing', async (t, given) => {
  const token = await linkFor(given)
  for (const origin of [
    'https://evil.example',
    'null',
    'http://example.org',
    'https://example.org.evil.example',
    'https://example.org:8443',
  ]) {
    t.equal((await submit(given, token, { origin })).status, 403, origin)
  }
  const plain = await given.app.bare(`POST ${VERIFY}`, {
    body: `token=${token}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  t.equal(plain.status, 403, 'nor without a word of where it comes from')
  for (const type of ['text/plain', 'application/json']) {
    const refused = await submit(given, token, { 'content-type': type })
    t.match(refused, { status: 415, body: { message: 'Send the form as application/x-www-form-urlencoded.' } }, type)
  }
  t.equal((await submit(given, `${token}&token=x`)).status, 401)
  t.equal((await submit(given, token)).status, 200)
})

each('forms are read here alone', async (t, { app }) => {
  const form = { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://example.org' }
  for (const path of ['otp/send', 'login', 'refresh', 'magic-link']) {
    t.equal((await app.bare(`POST /api/auth/${path}`, { body: `email=${email}`, headers: form })).status, 415, path)
  }
})

each('where it is asked for, the browser is led back with a code instead of tokens', async (t, given) => {
  const token = await linkFor(given, FRONT)
  const answer = await submit(given, token)
  t.same([answer.status, answer.text], [302, ''])
  t.equal(answer.headers['referrer-policy'], 'no-referrer', 'the code is told to nobody else')
  const location = new URL(answer.headers.location ?? '')
  const code = location.searchParams.get('code') ?? ''
  t.equal(location.href, addressWith(FRONT, 'code', code))
  t.equal(location.searchParams.get('from'), 'cms')
  t.notMatch(answer.headers.location, /cmsr_|eyJ/)
  const exchanged = await given.post('exchange', { code })
  t.equal(exchanged.status, 200)
  t.equal((await given.post('exchange', { code })).status, 401)
})

each('a link leads nowhere that is not configured', async (t, given) => {
  const guesses = [
    `${FRONT}#x`,
    `${FRONT}/`,
    'https://front.example/',
    'https://evil.example',
    '//evil.example',
    'javascript:alert(1)',
    '',
    '/',
  ]
  for (const to of guesses) t.equal((await given.post('magic-link', { email, to })).status, 400, to)
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.webUrl(),
        fc.string().map((end) => FRONT + end),
      ),
      async (to) => {
        return to === FRONT || (await given.post('magic-link', { email, to })).status === 400
      },
    ),
    { numRuns: 30 },
  )
  t.equal(given.app.messages.length, 0)
})

each('what is no link signs nobody in', async (t, given) => {
  await linkFor(given)
  for (const token of ['', 'x', 'A'.repeat(43), '../'.repeat(14)]) t.equal((await spend(given, token)).status, 401, token)
  t.equal((await given.app.bare(`GET ${VERIFY}`, { headers: { accept: 'application/json' } })).status, 401)
  t.equal((await given.app.bare(`GET ${VERIFY}?tokn=1`)).status, 400)
})

each('who is disabled while a link is on its way does not come in by it', async (t, given) => {
  const token = await linkFor(given)
  await given.app.features.users.setDisabled(given.ada.id, true, BY)
  t.equal((await spend(given, token)).status, 401)
  await given.post('magic-link', { email: 'nobody@example.org' })
  t.equal(await given.message(), undefined)
})

each('an invitation is good for a week, once, beside links that are asked for', async (t, given) => {
  const invite = async () =>
    (await given.app.features.auth.composers.invitation({ template: 'invitation', to: email, data: {} }))?.shown
  const first = tokenIn(await invite())
  given.opened.clock.advance(7 * DAY)
  t.equal((await spend(given, first)).status, 401)
  const second = tokenIn(await invite())
  await linkFor(given)
  given.opened.clock.advance(6 * DAY)
  t.equal((await spend(given, second)).status, 200)
  t.equal((await spend(given, second)).status, 401)
  t.equal(
    await given.app.features.auth.composers.invitation({ template: 'invitation', to: 'nobody@example.org', data: {} }),
    undefined,
  )
})

each(
  'where links are switched off, invitations alone are good',
  async (t, given) => {
    t.equal((await given.post('magic-link', { email })).status, 404)
    t.equal((await spend(given, 'A'.repeat(43))).status, 404)
    t.equal((await open(given, 'A'.repeat(43))).status, 404)
    t.equal((await submit(given, 'A'.repeat(43))).status, 404)
    const invitation = await given.app.features.auth.composers.invitation({ template: 'invitation', to: email, data: {} })
    t.equal((await open(given, tokenIn(invitation?.shown))).status, 200)
    t.equal((await submit(given, tokenIn(invitation?.shown))).status, 200)
  },
  { methods: ['otp'] },
)

each('neither a link nor what it is made of is in what is kept', async (t, given) => {
  const token = await linkFor(given)
  const kept: unknown[] = []
  for await (const { name, value } of given.opened.ledger.facts()) kept.push([name, value])
  t.notOk(JSON.stringify(kept).includes(token))
  t.match(JSON.stringify(kept), new RegExp(`link\\.${hash('sha256', token, 'base64url')}`))
})

each(
  'where anyone may register, a link makes an account of an address',
  async (t, given) => {
    await given.post('magic-link', { email: 'new@example.org' })
    t.equal((await spend(given, tokenIn(await given.message()))).status, 200)
    t.match(await given.app.features.users.byEmail('new@example.org'), { role: 'viewer' })
  },
  { registration: true },
)
