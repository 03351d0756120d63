import t, { type Test } from 'tap'
import { Hashing } from '#features/auth/methods/hashing.ts'
import { PasswordRules } from '#features/auth/methods/password-rules.ts'
import { Passwords } from '#features/auth/methods/passwords.ts'
import type { How } from '#features/auth/sessions/sessions.ts'
import type { AppOptions } from '#support/app.ts'
import { BY, type Given, PASSWORD, signingIn } from '#support/signing-in.ts'

const MINUTE = 60_000
const email = 'ada@example.org'
const OTHER = 'violin pepper 38 archipelago'

/** Costs next to nothing. */
const CHEAP = { n: 16, r: 1, p: 1 }

function each(name: string, body: (t: Test, given: Given) => Promise<void>, options: AppOptions = {}): void {
  t.test(name, (t) =>
    signingIn(
      t,
      async (t, given) => {
        await setPassword(given, PASSWORD)
        await body(t, given)
      },
      options,
    ),
  )
}

async function setPassword({ app, ada }: Given, password: string): Promise<void> {
  const hash = await app.features.auth.passwords.hashFor(password, { email: 'someone@example.org', name: 'Someone' })
  await app.features.users.setPassword(ada.id, hash, BY)
}

/** The same with passwords that are cheap to check, for what is not about their cost. */
function cheap(name: string, body: (t: Test, given: Given, login: Login) => Promise<void>): void {
  t.test(name, (t) =>
    signingIn(t, async (t, given) => {
      const { app, opened, ada } = given
      const hashing = new Hashing(CHEAP)
      const rules = new PasswordRules({ least: 15, siteName: '' })
      const { users, auth } = app.features
      const mailer = { send: async () => undefined }
      const passwords = new Passwords({ users, clock: opened.clock, attempts: auth.attempts, mailer, hashing, rules })
      await users.setPassword(ada.id, await hashing.hash(PASSWORD), BY)
      await body(t, given, async (password, from = '192.0.2.1', address = email) => {
        const outcome = passwords.verify(address, password, from)
        return outcome.then(
          () => ({ status: 200, wait: 0, message: '' }),
          (error) => ({ status: error.status, wait: error.retryAfter ?? 0, message: error.message }),
        )
      })
    }),
  )
}

type Login = (password: string, from?: string, address?: string) => Promise<{ status: number; wait: number; message: string }>

each('a password signs in, however its letters are put together', async (t, given) => {
  const { post } = given
  const answer = await post('login', { email: 'Ada@Example.org', password: PASSWORD })
  t.same([answer.status, answer.body.token_type, answer.headers['cache-control']], [200, 'Bearer', 'no-store'])
  await setPassword(given, 'crème brûlée at 4 in Zürich')
  t.equal((await post('login', { email, password: 'crème brûlée at 4 in Zürich'.normalize('NFD') })).status, 200)
})

t.test('a password is kept as scrypt makes it at the cost of OWASP, with a salt of its own', async (t) => {
  const hashing = new Hashing()
  const kept = [await hashing.hash(PASSWORD), await hashing.hash(PASSWORD)]
  for (const one of kept) t.match(one, /^scrypt\$16384\$8\$5\$[\w-]{22}\$[\w-]{43}$/)
  t.not(kept[0], kept[1])
  t.ok(await hashing.isSame(PASSWORD, kept[0]))
  t.notOk(await hashing.isSame(OTHER, kept[0]))
  t.notOk(await hashing.isSame('', undefined))
  t.notOk(await hashing.isSame(PASSWORD, 'scrypt$16384$8$5$$'))
})

each('there is one answer to all that do not get in', async (t, given) => {
  const { post, app, ada } = given
  const none = await app.features.users.create({ email: 'grace@example.org' }, BY)
  const off = await app.features.users.create({ email: 'off@example.org', passwordHash: await hashOf(given) }, BY)
  await app.features.users.setDisabled(off.id, true, BY)
  const answers = new Set<string>()
  const tries = [
    { email, password: OTHER },
    { email, password: '' },
    { email: 'nobody@example.org', password: PASSWORD },
    { email: none.email, password: PASSWORD },
    { email: off.email, password: PASSWORD },
  ]
  for (const one of tries) {
    const { status, text, headers } = await post('login', one)
    answers.add(JSON.stringify([status, text, { ...headers, date: '', 'x-request-id': '' }]))
  }
  const code = await post('otp/verify', { email, code: '000000' })
  answers.add(JSON.stringify([code.status, code.text, { ...code.headers, date: '', 'x-request-id': '' }]))
  t.equal(answers.size, 1)
  t.match([...answers][0], /^\[401,/)
  t.equal((await app.features.users.byId(ada.id))?.disabled, false)
})

async function hashOf({ app }: Given): Promise<string> {
  return (await app.features.users.byEmail(email))?.passwordHash ?? ''
}

cheap('after five failures an account makes a network wait: 1 s, 2, 4 … up to 15 minutes', async (t, { opened }, login) => {
  for (const address of [email, 'nobody@example.org']) {
    for (let n = 0; n < 5; n++) t.same((await login(OTHER, undefined, address)).status, 401)
    for (const wait of [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]) {
      const early = await login(PASSWORD, undefined, address)
      t.same([early.status, early.wait], [429, wait], `${address} waits ${wait}`)
      opened.clock.advance(wait * 1000 - 1)
      t.same((await login(PASSWORD, undefined, address)).wait, 1)
      opened.clock.advance(1)
      t.equal((await login(OTHER, undefined, address)).status, 401)
    }
  }
})

cheap('what is waited for ends with the right password, and begins anew', async (t, { opened }, login) => {
  for (let n = 0; n < 5; n++) await login(OTHER)
  opened.clock.advance(1000)
  t.equal((await login(PASSWORD)).status, 200)
  for (let n = 0; n < 4; n++) t.equal((await login(OTHER)).status, 401)
  t.equal((await login(PASSWORD)).status, 200)
})

cheap('a stranger can lock nobody out: other networks do not wait', async (t, { opened, post, message, app }, login) => {
  for (let n = 0; n < 60; n++) {
    opened.clock.advance(MINUTE)
    await login(OTHER, `203.0.113.${n % 3}`)
    await post('otp/verify', { email, code: '000000' }, `203.0.113.${n % 3}`)
  }
  t.equal((await login(OTHER, '203.0.113.1')).status, 429, 'the stranger waits')
  t.equal((await login(PASSWORD, '192.0.2.77')).status, 200, 'the owner does not')
  await post('magic-link', { email }, '192.0.2.77')
  const link = new URL((await message()) ?? '')
  const answer = await app.bare(`GET ${link.pathname}${link.search}`, { headers: { accept: 'application/json' } })
  t.equal(answer.status, 200, 'nor with a link')
  app.messages.length = 0
  opened.clock.advance(MINUTE)
  await post('otp/send', { email }, '192.0.2.77')
  t.equal((await post('otp/verify', { email, code: await message() }, '192.0.2.77')).status, 200, 'nor with a code')
})

cheap('of many at once no more are looked at than one after the other would be', async (t, { app }, login) => {
  const begun = Array.from({ length: 30 }, () =>
    app.features.auth.attempts.beginPassword({ address: 'eve@example.org', client: '192.0.2.1' }),
  )
  const outcomes = await Promise.allSettled(begun)
  t.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 5, 'as many nodes may ask at once')
  const answers = await Promise.all(Array.from({ length: 30 }, () => login(OTHER)))
  t.equal(answers.filter(({ status }) => status === 401).length, 5)
  t.equal(answers.filter(({ status }) => status === 429).length, 25)
  t.equal((await login(PASSWORD)).status, 429)
})

t.test('two passwords are checked at a time, 32 wait, and more are told to come again', async (t) => {
  const hashing = new Hashing(CHEAP)
  let [running, most] = [0, 0]
  const gates: (() => void)[] = []
  const work = async () => {
    most = Math.max(most, ++running)
    await new Promise<void>((resolve) => gates.push(resolve))
    running--
    if (gates.length === 1) throw new Error('one fails')
  }
  const all = Array.from({ length: 40 }, () =>
    hashing.whenFree(work).then(
      () => 'done',
      (error) => error.status ?? 'failed',
    ),
  )
  for (let done = 0; done < 34; done++) {
    while (gates.length <= done) await new Promise(setImmediate)
    gates[done]?.()
  }
  const outcomes = await Promise.all(all)
  t.equal(outcomes.filter((outcome) => outcome === 503).length, 6)
  t.equal(outcomes.filter((outcome) => outcome === 'done' || outcome === 'failed').length, 34)
  t.equal(most, 2)
  t.equal(await hashing.whenFree(async () => 'free'), 'free', 'who failed gave its place back')
})

each('a hash of another cost is made anew at sign-in, and ends no session', async (t, given) => {
  const { app, ada, post } = given
  await app.features.users.setPassword(ada.id, await new Hashing({ n: 32, r: 1, p: 1 }).hash(PASSWORD), BY)
  const first = await post('login', { email, password: PASSWORD })
  t.equal(first.status, 200)
  t.match(await hashOf(given), /^scrypt\$16\$1\$1\$/)
  t.equal((await post('login', { email, password: PASSWORD })).status, 200)
  t.equal((await post('refresh', { refresh_token: first.body.refresh_token })).status, 200)
})

const bearing = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

/** Changes Ada's password in a session that began that way, so long ago. */
async function change(given: Given, how: How, ago: number, body: object) {
  const { app, ada, opened } = given
  const user = (await app.features.users.byId(ada.id)) ?? ada
  const { token } = await app.features.auth.sessions.begin(user, how)
  opened.clock.advance(ago)
  return app.bare('PUT /api/auth/password', { body, ...bearing(token) })
}

each('who came in by a code or a link sets a password; it ends all other sessions, and they are told', async (t, given) => {
  const { app, ada, post } = given
  const old = await post('login', { email, password: PASSWORD })
  for (const how of ['code', 'link'] as const) {
    const answer = await change(given, how, 10 * MINUTE, { password: how === 'code' ? OTHER : PASSWORD })
    t.same([answer.status, answer.body.token_type], [200, 'Bearer'])
    t.equal((await app.bare('GET /api/auth/me', bearing(answer.body.token))).status, 200)
  }
  t.equal((await app.bare('GET /api/auth/me', bearing(old.body.token))).status, 401)
  t.equal((await post('refresh', { refresh_token: old.body.refresh_token })).status, 401)
  t.same(
    app.messages.map(({ template, to, data }) => [template, to, data]),
    Array(2).fill(['password-changed', email, {}]),
  )
  t.match(
    await app.features.auth.composers['password-changed'](app.messages[0] ?? { template: 'password-changed', to: '', data: {} }),
    {
      name: ada.name,
    },
  )
})

each('later, or with a password or a provider, the current one is needed', async (t, given) => {
  for (const [how, ago] of [
    ['code', 10 * MINUTE + 1],
    ['link', 11 * MINUTE],
    ['password', 0],
    ['provider', 0],
  ] as const) {
    const missing = await change(given, how, ago, { password: OTHER })
    t.same([missing.status, Object.keys(missing.body.errors)], [422, ['current']], how)
  }
  t.equal((await change(given, 'password', 0, { password: OTHER, current: OTHER })).status, 422)
  t.equal((await change(given, 'password', 0, { password: OTHER, current: PASSWORD })).status, 200)
  t.equal((await given.post('login', { email, password: OTHER })).status, 200)
})

each('a wrong current password counts as a failure', async (t, given) => {
  for (let n = 0; n < 5; n++) t.equal((await change(given, 'password', 0, { password: OTHER, current: 'no' })).status, 422)
  t.equal((await change(given, 'password', 0, { password: OTHER, current: PASSWORD })).status, 429)
  t.equal((await given.post('login', { email, password: PASSWORD })).status, 429)
})

each('an API token sets no password, nor does nobody; a weak one is refused', async (t, given) => {
  const { app } = given
  t.equal((await app.ask('PUT /api/auth/password', { body: { password: OTHER } })).status, 403)
  t.equal((await app.bare('PUT /api/auth/password', { body: { password: OTHER } })).status, 401)
  for (const password of ['short', 'passwordpassword', 'ada@example.org ada', 'Test site Test site']) {
    const answer = await change(given, 'code', 0, { password })
    t.same([answer.status, Object.keys(answer.body.errors)], [422, ['password']], password)
  }
  t.equal((await given.post('login', { email, password: PASSWORD })).status, 200, 'the one there was is good still')
})

t.test('passwords that are switched off are not there', (t) =>
  signingIn(
    t,
    async (t, { app, post, ada }) => {
      t.equal((await post('login', { email, password: PASSWORD })).status, 404)
      t.equal((await app.askAs(ada, 'PUT /api/auth/password', { body: { password: OTHER } })).status, 404)
    },
    { config: { auth: { methods: ['otp'] } } },
  ),
)
