import t, { type Test } from 'tap'
import type { AppOptions } from '#support/app.ts'
import { BY, type Given, signingIn, wrong } from '#support/signing-in.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const email = 'ada@example.org'

function each(name: string, body: (t: Test, given: Given) => Promise<void>, options: AppOptions = {}): void {
  t.test(name, (t) => signingIn(t, body, options))
}

/** A new code for Ada, the minute between two messages gone by. */
async function codeFor({ post, message, opened }: Given): Promise<string | undefined> {
  opened.clock.advance(MINUTE)
  await post('otp/send', { email })
  return message()
}

each('a code that came by mail signs in, once, however its digits are set out', async (t, given) => {
  const { app, post, message } = given
  const sent = await post('otp/send', { email: ' ADA@Example.ORG ' })
  t.same([sent.status, sent.body.expires_in, sent.headers['cache-control']], [202, 600, 'no-store'])
  t.same(
    app.messages.map(({ template, to, data }) => ({ template, to, data })),
    [{ template: 'code', to: email, data: {} }],
  )
  const code = (await message()) ?? ''
  t.match(code, /^\d{6}$/)
  const answer = await post('otp/verify', { email, code: `${code.slice(0, 3)} ${code.slice(3)}` })
  t.same([answer.status, answer.body.token_type, answer.body.expires_in], [200, 'Bearer', 900])
  const me = await app.bare('GET /api/auth/me', { headers: { authorization: `Bearer ${answer.body.token}` } })
  t.equal(me.body.data.email, email)
  t.equal((await post('otp/verify', { email, code })).status, 401, 'it is spent')
})

each('a code is over after ten minutes, and when a newer one is made', async (t, given) => {
  const { post, opened } = given
  const first = await codeFor(given)
  opened.clock.advance(10 * MINUTE)
  t.equal((await post('otp/verify', { email, code: first })).status, 401)
  const second = await codeFor(given)
  const third = await codeFor(given)
  if (second !== third) t.equal((await post('otp/verify', { email, code: second })).status, 401, 'only the newest counts')
  t.equal((await post('otp/verify', { email, code: third })).status, 200)
})

each('five wrong tries kill a code; a new one is good, and resets no count', async (t, given) => {
  const { post } = given
  const first = await codeFor(given)
  for (let n = 0; n < 5; n++) t.equal((await post('otp/verify', { email, code: wrong(first) })).status, 401)
  t.equal((await post('otp/verify', { email, code: first })).status, 401, 'the right one comes too late')
  const second = await codeFor(given)
  for (let n = 0; n < 4; n++) t.equal((await post('otp/verify', { email, code: wrong(second) })).status, 401)
  const third = await codeFor(given)
  const refused = await post('otp/verify', { email, code: third })
  t.equal(refused.status, 429, 'ten failures within the hour, on three codes')
  t.ok(Number(refused.headers['retry-after']) > 0 && Number(refused.headers['retry-after']) <= 3600)
  t.equal((await post('otp/verify', { email, code: third }, '198.51.100.7')).status, 200, 'another network is not held up')
})

each('after an hour an address and network may try again', async (t, given) => {
  const { post, opened } = given
  for (let n = 0; n < 10; n++) await post('otp/verify', { email, code: '000000' })
  const refused = await post('otp/verify', { email, code: '000000' })
  t.equal(refused.status, 429)
  opened.clock.advance(Number(refused.headers['retry-after']) * 1000)
  t.equal((await post('otp/verify', { email, code: await codeFor(given) })).status, 200)
})

each('an IPv6 network is one network', async (t, { post }) => {
  for (let n = 0; n < 10; n++) await post('otp/verify', { email, code: '000000' }, `2001:db8:1:2::${n}`)
  t.equal((await post('otp/verify', { email, code: '000000' }, '2001:db8:1:2:ffff::1')).status, 429)
  t.equal((await post('otp/verify', { email, code: '000000' }, '2001:db8:1:3::1')).status, 401)
})

each('of a hundred who send one right code at once, one signs in', async (t, given) => {
  const code = await codeFor(given)
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, n) => given.post('otp/verify', { email, code }, `198.51.100.${n}`)),
  )
  t.equal(answers.filter(({ status }) => status === 200).length, 1)
  t.equal(answers.filter(({ status }) => status === 401).length, 99)
})

each('a hundred wrong codes in a row, from wherever, switch codes off until another way signs in', async (t, given) => {
  const { app, post, message, opened } = given
  for (let n = 0; n < 100; n++) {
    const answer = await post('otp/verify', { email, code: '000000' }, `203.0.113.${n % 20}`)
    t.equal(answer.status, 401)
    if (n % 50 === 49) opened.clock.advance(HOUR)
  }
  await post('otp/send', { email })
  t.equal(app.messages.length, 1, 'asking for a code is answered as ever')
  t.equal(await message(), undefined, 'and none is made')
  opened.clock.advance(100 * 24 * HOUR)
  await post('magic-link', { email })
  const link = new URL((await message()) ?? '')
  const signedIn = await app.bare(`GET ${link.pathname}${link.search}`, { headers: { accept: 'application/json' } })
  t.equal(signedIn.status, 200, 'a link signs in')
  t.equal((await post('otp/verify', { email, code: await codeFor(given) })).status, 200, 'and codes are back')
})

each('a code that is there when codes are switched off is no good, with the answer of a wrong one', async (t, given) => {
  const { post } = given
  for (let n = 0; n < 95; n++) await post('otp/verify', { email, code: '000000' }, `203.0.113.${n % 12}`)
  const code = await codeFor(given)
  const one = await post('otp/verify', { email, code: wrong(code) }, '192.0.2.1')
  for (let n = 0; n < 3; n++) await post('otp/verify', { email, code: wrong(code) }, '192.0.2.2')
  // The hundredth, and one more.
  await post('otp/verify', { email: 'ADA@example.org', code: 'x' }, '192.0.2.4')
  const right = await post('otp/verify', { email, code }, '192.0.2.3')
  t.same([right.status, right.text], [one.status, one.text])
})

each('a success ends the row, and is no failure of the hour', async (t, given) => {
  const { post, app } = given
  for (let round = 0; round < 12; round++) {
    t.equal((await post('otp/verify', { email, code: await codeFor({ ...given }) })).status, 200, `round ${round}`)
    given.opened.clock.advance(12 * MINUTE)
  }
  t.notOk(await app.features.auth.attempts.areCodesOff(email))
})

each('of the ten tries of an hour a success takes none', async (t, given) => {
  const { post } = given
  for (const wrong of [4, 4, 1]) {
    const code = await codeFor(given)
    for (let n = 0; n < wrong; n++) await post('otp/verify', { email, code: code === '000000' ? '000001' : '000000' })
    t.equal((await post('otp/verify', { email, code })).status, 200)
  }
})

each('unlocking forgets what counts against an address, on every network', async (t, given) => {
  const { app, post } = given
  for (let n = 0; n < 110; n++) await post('otp/verify', { email, code: '000000' }, `203.0.113.${n % 11}`)
  t.ok(await app.features.auth.attempts.areCodesOff(email))
  await app.features.auth.attempts.unlock(email)
  t.equal((await post('otp/verify', { email, code: await codeFor(given) }, '203.0.113.1')).status, 200)
})

each('messages go out once a minute and five times an hour; the answers are the same', async (t, given) => {
  const { app, post, opened } = given
  const answers = new Set<string>()
  const ask = async () =>
    answers.add(JSON.stringify(await post('otp/send', { email }).then(({ status, text }) => [status, text])))
  await ask()
  await ask()
  opened.clock.advance(MINUTE - 1)
  await ask()
  t.equal(app.messages.length, 1)
  for (let n = 0; n < 8; n++) {
    opened.clock.advance(MINUTE)
    await ask()
  }
  t.equal(app.messages.length, 5)
  opened.clock.advance(HOUR)
  await ask()
  t.equal(app.messages.length, 6)
  t.equal(answers.size, 1)
})

each('nobody’s and disabled people’s addresses get no code', async (t, given) => {
  const { app, ada, post, message } = given
  await app.features.users.setDisabled(ada.id, true, BY)
  for (const address of [email, 'nobody@example.org']) {
    t.equal((await post('otp/send', { email: address })).status, 202)
    t.equal(await message(), undefined)
  }
})

each('who is disabled while a code is on its way does not come in by it', async (t, given) => {
  const code = await codeFor(given)
  await given.app.features.users.setDisabled(given.ada.id, true, BY)
  t.equal((await given.post('otp/verify', { email, code })).status, 401)
})

each(
  'where anyone may register, an address that proves itself becomes a viewer, once',
  async (t, { app, post, message }) => {
    await post('otp/send', { email: 'new@example.org' })
    const code = await message()
    t.equal(await app.features.users.byEmail('new@example.org'), undefined, 'asking makes nobody')
    const answer = await post('otp/verify', { email: 'New@example.org', code })
    t.equal(answer.status, 200)
    t.match(await app.features.users.byEmail('new@example.org'), { role: 'viewer', disabled: false })
    const made = await Promise.all(Array.from({ length: 5 }, () => app.features.auth.registration.admit('other@example.org')))
    t.equal(new Set(made.map((user) => user?.id)).size, 1, 'many at once are one')
  },
  { config: { auth: { registration: true } } },
)

each('neither a code nor an address is in what is kept', async (t, given) => {
  const code = await codeFor(given)
  await given.post('otp/verify', { email, code: wrong(code) })
  const kept: unknown[] = []
  for await (const { name, value } of given.opened.ledger.facts()) kept.push([name, value])
  t.notMatch(JSON.stringify(kept), /ada|example\.org/)
  t.notOk(JSON.stringify(kept).includes(`"${code}"`))
  t.match(JSON.stringify(kept), /code\./)
})

each(
  'a way that is switched off is not there',
  async (t, { post }) => {
    for (const path of ['otp/send', 'otp/verify']) t.equal((await post(path, { email, code: '1' })).status, 404)
  },
  { config: { auth: { methods: ['password'] } } },
)

each('what is no plain address, or no body that is asked for, is refused', async (t, { post, app }) => {
  for (const bad of [
    'ada',
    'ada@example.org\r\nBcc: eve@example.org',
    'ada@example.org,eve@example.org',
    'Ada <ada@example.org>',
  ]) {
    const answer = await post('otp/send', { email: bad })
    t.same([answer.status, Object.keys(answer.body.errors)], [422, ['email']], bad)
  }
  t.equal((await post('otp/send', { email: [email] })).status, 422)
  t.equal((await post('otp/send', { email, more: 1 })).status, 422)
  t.equal((await post('otp/send', { email: 'a'.repeat(17 * 1024) })).status, 413)
  t.equal(app.messages.length, 0)
})
