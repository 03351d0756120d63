import { readdirSync, readFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import pg from 'pg'
import t, { type Test } from 'tap'
import * as tar from 'tar'
import { cms, type Running, scratchSite, start, until } from '#support/cli.ts'
import { type MailServer, mailServer } from '#support/mail.ts'
import { testDatabase } from '#support/postgres.ts'
import { Receiver } from '#support/receiver.ts'
import { StripeServer, signatureOf } from '#support/stripe-server.ts'

const PASSWORD = 'umbrella quartz 71 lighthouse'
const TYPED = 'marmalade falcon 52 typed in vain'

/** The secrets that the configuration takes from the environment. */
const ENV = {
  CMS_SECRET: 'secret-of-the-site-8c1f4a6e0b2d97',
  STRIPE_KEY: 'sk_live_2f9c17ad53e8',
  STRIPE_SIGNING: 'whsec_stripe_77be01d29f44',
  HOOK_SECRET: 'whsec_Y29uZmlndXJlZC1zZWNyZXQtb2YtYS13ZWJob29r',
  SMTP_PASSWORD: 'postman-9b71c0',
}
/** Private documents that are kept to sign with, and are as they are in files alone. */
const TO_SIGN_WITH = /(?:^|\/)(?:\.cms|private)\/(?:webhook-secrets|keys)\//

interface Place {
  readonly cwd: string
  readonly env: Record<string, string>
  readonly url?: string
}

interface Servers {
  readonly stripe: StripeServer
  readonly mail: MailServer
  readonly receiver: Receiver
}

function configOf({ stripe, mail, receiver }: Servers): string {
  return `site: { name: Secrets, url: "https://example.org" }
types: { posts: {} }
features: { auth: true, events: true, webhooks: true, audit: true, billing: true, metrics: true, admin: true }
auth: { methods: [otp, magic_link, password] }
throttle: { api: off, auth: off, admin: off }
mail: { smtp: { host: 127.0.0.1, port: ${mail.port}, user: postman, password: "\${SMTP_PASSWORD}" } }
webhooks: [{ url: "${receiver.url}", events: ["*"], secret: "\${HOOK_SECRET}", private_addresses: true }]
billing:
  gateway: stripe
  plans: [{ id: pro, name: Pro, amount: 4950, interval: month, stripe_price: price_pro }, { id: gone, name: Gone, amount: 1, interval: month, stripe_price: price_gone }]
  stripe: { secret_key: "\${STRIPE_KEY}", webhook_secret: "\${STRIPE_SIGNING}", api_base: "${stripe.url}" }
`
}

const PLACES: Readonly<Record<string, (t: Test, servers: Servers) => Promise<Place>>> = {
  files: async (t, servers) => ({
    cwd: scratchSite(t, { 'cms.config.yaml': configOf(servers), 'content/posts/a.md': '# A\n' }),
    env: ENV,
  }),
  PostgreSQL: async (t, servers) => {
    const url = await testDatabase(t)
    const config = `${configOf(servers)}storage: { driver: postgres, url: "${url}" }\n`
    return { cwd: scratchSite(t, { 'cms.config.yaml': config }), env: ENV, url }
  },
}

/** All that a site says and keeps, by where it is said; the secrets that it gave, by what they are. */
class Site {
  readonly said = new Map<string, string>()
  readonly secrets = new Map<string, string>(Object.entries(ENV))
  readonly url: string
  readonly #mail: MailServer
  #count = 0
  #letters = 0

  constructor(url: string, mail: MailServer) {
    this.url = url
    this.#mail = mail
  }

  say(where: string, text: string | Buffer): void {
    this.said.set(`${where} (${++this.#count})`, Buffer.from(text).toString('latin1'))
  }

  keep(name: string, secret: string | undefined): string {
    if (secret === undefined || secret.length < 6) throw new Error(`There is no ${name}.`)
    this.secrets.set(name, secret)
    return secret
  }

  /** Asks; what is answered is kept as said, unless it gives a secret. */
  async ask(request: string, sent: { token?: string; body?: unknown; headers?: object; gives?: boolean } = {}) {
    const [method = '', path = ''] = request.split(' ')
    const { token, body, gives = false } = sent
    const headers = {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...sent.headers,
    }
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const answer = await fetch(this.url + path, {
      method,
      headers,
      redirect: 'manual',
      ...(text !== undefined && { body: text }),
    })
    const came = await answer.text()
    if (!gives) this.say(request, `${answer.status} ${JSON.stringify([...answer.headers])} ${came}`)
    // biome-ignore lint/suspicious/noExplicitAny: a test's assertions are its types
    const json: any = answer.headers.get('content-type')?.startsWith('application/json') && came ? JSON.parse(came) : undefined
    return { status: answer.status, headers: answer.headers, body: json, text: came }
  }

  /** The text of the next message that is mailed. */
  async letter(): Promise<string> {
    return (await this.#mail.message(++this.#letters)).text
  }

  /** Listens to events until it is ended. */
  listen(token: string): { told: () => number; end: () => void } {
    let told = ''
    const asked = get(`${this.url}/api/events`, { headers: { authorization: `Bearer ${token}` }, agent: false }, (answer) => {
      answer
        .on('error', () => undefined)
        .on('data', (part: Buffer) => {
          told += part
        })
    })
    asked.on('error', () => undefined)
    return {
      told: () => told.split('\ndata: ').length - 1,
      end: () => {
        asked.destroy()
        this.say('the stream of events', told)
      },
    }
  }

  /** Where a secret of these is, by its name and the place. */
  found(): string[] {
    return [...this.secrets].flatMap(([name, secret]) => {
      const forms = [secret, encodeURIComponent(secret), Buffer.from(secret).toString('hex'), JSON.stringify(secret).slice(1, -1)]
      // Six digits are part of any longer number.
      const isIn = (text: string) =>
        /^\d+$/.test(secret)
          ? new RegExp(`(?<![0-9a-z])${secret}(?![0-9a-z])`, 'i').test(text)
          : forms.some((form) => text.includes(form))
      return [...this.said].filter(([, text]) => isIn(text)).map(([where]) => `${name} in ${where}`)
    })
  }
}

/** Signs in in each way, and fails to; returns an access token. */
async function signIn(site: Site, email: string): Promise<string> {
  const took = (way: string, { token, refresh_token: refresh }: { token?: string; refresh_token?: string }) => ({
    token: site.keep(`access token (${way})`, token),
    refresh: site.keep(`refresh token (${way})`, refresh),
  })
  await site.ask('POST /api/auth/login', { body: { email, password: TYPED } })
  const byPassword = took(
    'password',
    (await site.ask('POST /api/auth/login', { body: { email, password: PASSWORD }, gives: true })).body,
  )
  await site.ask('POST /api/auth/otp/send', { body: { email } })
  const code = site.keep('code', /\b\d{6}\b/.exec(await site.letter())?.[0])
  const wrong = String((Number(code) + 1) % 1_000_000).padStart(6, '0')
  await site.ask('POST /api/auth/otp/verify', { body: { email, code: wrong } })
  const verify = { body: { email, code } }
  const byCode = took('code', (await site.ask('POST /api/auth/otp/verify', { ...verify, gives: true })).body)
  await site.ask('POST /api/auth/otp/verify', verify)
  await site.ask('POST /api/auth/magic-link', { body: { email } })
  const link = site.keep('link', /[?&]token=([\w-]+)/.exec(await site.letter())?.[1])
  const headers = { accept: 'application/json' }
  const path = `GET /api/auth/magic-link/verify?token=${link}`
  const byLink = took('link', (await site.ask(path, { headers, gives: true })).body)
  await site.ask(path, { headers })
  const refresh = { body: { refresh_token: byLink.refresh } }
  const again = took('refreshed', (await site.ask('POST /api/auth/refresh', { ...refresh, gives: true })).body)
  await site.ask('POST /api/auth/refresh', { body: { refresh_token: `${again.refresh.slice(0, -1)}_` } })
  await site.ask('POST /api/auth/refresh', { body: { refresh_token: [again.refresh] } })
  await site.ask('GET /api/auth/me', { token: `${byCode.token}x` })
  await site.ask('GET /api/auth/me', { token: byCode.token })
  await site.ask('POST /api/auth/logout', { token: byCode.token })
  await site.ask('POST /api/auth/logout', { body: { refresh_token: again.refresh } })
  await site.ask('POST /api/auth/refresh', { body: { refresh_token: again.refresh } })
  return byPassword.token
}

/** Signs in to the panel, and looks at what it shows of secrets. */
async function signInToPanel(t: Test, site: Site, email: string): Promise<void> {
  const cookieOf = (headers: Headers) => headers.getSetCookie().map((one) => one.split(';')[0] ?? '')
  const page = await site.ask('GET /admin/login', { gives: true })
  const [begun = ''] = cookieOf(page.headers)
  site.keep('sign-in of the panel', begun.split('=')[1])
  const csrf = site.keep('proof of a form', /name="_csrf" value="([^"]+)"/.exec(page.text)?.[1])
  const form = (password: string) => new URLSearchParams({ _csrf: csrf, email, password }).toString()
  const headers = { cookie: begun, 'content-type': 'application/x-www-form-urlencoded', origin: site.url }
  const failed = await site.ask('POST /admin/login/password', { headers, body: form(TYPED), gives: true })
  t.notMatch(failed.text, TYPED)
  const arrived = await site.ask('POST /admin/login/password', { headers, body: form(PASSWORD), gives: true })
  t.equal(arrived.status, 303)
  const cookie = cookieOf(arrived.headers).find((one) => !one.endsWith('=')) ?? ''
  site.keep('session of the panel', cookie.split('=')[1])
  for (const path of ['/admin/webhooks', '/admin/audit', '/admin/billing', '/admin/account'])
    t.equal((await site.ask(`GET ${path}`, { headers: { cookie } })).status, 200, path)
}

/** Makes webhooks, renews the secret of one, and has all of them fail. */
async function useWebhooks(t: Test, site: Site, token: string, receiver: Receiver): Promise<void> {
  const body = { url: 'https://hooks.invalid/', events: ['*'], description: 'Away' }
  const made = await site.ask('POST /api/webhooks', { token, body, headers: { 'idempotency-key': 'one' }, gives: true })
  site.keep('secret of a webhook', made.body.data.secret)
  await site.ask('POST /api/webhooks', { token, body, headers: { 'idempotency-key': 'one' } })
  const at = `/api/webhooks/${made.body.data.id}`
  const renewed = await site.ask(`POST ${at}/rotate`, { token, gives: true })
  site.keep('renewed secret', renewed.body.data.secret)
  await site.ask('POST /api/webhooks', { token, body: { ...body, url: `https://me:${TYPED.replaceAll(' ', '')}@x.org/` } })
  await site.ask('POST /api/webhooks', { token, body: { ...body, secret: renewed.body.data.secret.slice(0, 5) } })
  receiver.answer = (response, { headers }) => response.writeHead(500).end(JSON.stringify(headers))
  await site.ask('POST /api/cms/posts', { token, body: { title: 'Told' } })
  await site.ask(`POST ${at}/test`, { token })
  const listed = (await site.ask('GET /api/webhooks', { token })).body.data
  t.equal(listed.length, 2)
  await until(
    async () => receiver.got.length,
    (many) => many > 0,
  )
  for (const { id } of listed) {
    await site.ask(`GET /api/webhooks/${id}`, { token })
    await site.ask(`GET /api/webhooks/${id}/deliveries`, { token })
  }
}

/** Subscribes at Stripe, and fails to in each way. */
async function subscribe(t: Test, site: Site, token: string, stripe: StripeServer): Promise<void> {
  const checkout = () => site.ask('POST /api/billing/checkout', { token, body: { plan: 'pro' } })
  stripe.key = 'sk_of_somebody_else'
  t.equal((await checkout()).status, 503, 'Stripe repeats a key that it does not know')
  stripe.key = ENV.STRIPE_KEY
  stripe.failing = 'error'
  t.ok((await checkout()).status >= 500)
  stripe.failing = 'no'
  t.ok((await site.ask('POST /api/billing/checkout', { token, body: { plan: 'gone' } })).status >= 400)
  t.equal((await checkout()).status, 201)
  const made = stripe.pay([...stripe.sessions.keys()].at(-1) ?? '')
  const tell = (body: string, signature: string) =>
    site.ask('POST /api/billing/webhook/stripe', { body, headers: { 'stripe-signature': signature } })
  const event = stripe.event('customer.subscription.created', stripe.subscriptions.get(made.subscription), {
    secret: ENV.STRIPE_SIGNING,
  })
  t.equal((await tell(event.body, signatureOf(event.body, 'whsec_forged', Date.now()))).status, 400)
  t.equal((await tell(event.body, event.signature)).status, 200)
  t.equal((await tell('{', signatureOf('{', ENV.STRIPE_SIGNING, Date.now()))).status, 400)
  const overview = () => site.ask('GET /api/billing', { token })
  await until(overview, ({ body }) => body.data.subscription?.status === 'active')
  stripe.failing = 'before'
  t.equal((await site.ask('POST /api/billing/cancel', { token })).status, 503)
  stripe.failing = 'no'
  await site.ask('GET /api/billing/invoices', { token })
}

/** Runs commands, a backup among them, and keeps what they say and what is in it. */
async function useCommands(t: Test, site: Site, { cwd, env }: Place): Promise<void> {
  const archive = join(scratchSite(t, {}), 'site.tar.gz')
  for (const words of [['backup', archive, '--json'], ['doctor'], ['check'], ['token:list'], ['user:list', '--json']]) {
    const { code, stdout, stderr } = await cms([...words, '--verbose'], { cwd, env })
    t.ok(code === 0 || words[0] === 'check' || words[0] === 'doctor', `${words[0]}: ${stderr}`)
    site.say(`cms ${words[0]}`, stdout + stderr)
  }
  const into = scratchSite(t, {})
  await tar.extract({ file: archive, cwd: into })
  t.ok(keepFiles(site, 'the backup', into) > 3)
}

/** Keeps the files of a folder but those that hold what is signed with; returns their number. */
function keepFiles(site: Site, where: string, folder: string): number {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = entries.map((entry) => join(entry.parentPath, entry.name)).filter((path) => !TO_SIGN_WITH.test(path))
  for (const path of paths) site.say(`${where}: ${path.slice(folder.length + 1)}`, readFileSync(path))
  return paths.length
}

/** Keeps each row of each table of a database. */
async function keepTables(t: Test, site: Site, url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  const schema = new URL(url).searchParams.get('schema')
  await client.connect()
  const { rows } = await client.query('select tablename from pg_tables where schemaname = $1', [schema])
  t.ok(rows.length > 10)
  for (const { tablename } of rows) {
    const found = await client.query(`select * from "${schema}"."${tablename}"`)
    const texts = found.rows.flatMap((row) =>
      Object.values(row).map((value) => (Buffer.isBuffer(value) ? value.toString('latin1') : JSON.stringify(value))),
    )
    site.say(`table ${tablename}`, texts.join('\n'))
  }
  await client.end()
}

async function stop(server: Running): Promise<void> {
  server.process.kill('SIGTERM')
  await server.done
}

for (const [name, open] of Object.entries(PLACES))
  t.test(`no secret is told or kept where it is not used: ${name}`, { timeout: 180_000 }, async (t) => {
    const servers: Servers = {
      stripe: await StripeServer.listen(t, Date.now),
      mail: await mailServer(t, {
        authOptional: false,
        allowInsecureAuth: true,
        onAuth: (_auth, _session, done) => done(null, { user: 'postman' }),
      }),
      receiver: await Receiver.listen(t),
    }
    const place = await open(t, servers)
    const email = 'ada@example.org'
    const words = ['user:create', '--email', email, '--name', 'Ada', '--role', 'owner', '--password-stdin']
    const user = await cms(words, { ...place, input: `${PASSWORD}\n` })
    t.equal(user.code, 0, user.stderr)
    const { stdout } = await cms(['token:create', '--name', 'all', '--scope', 'admin'], place)
    const server = start(['serve', '--port', '0', '--verbose'], place)
    t.teardown(() => server.process.kill('SIGKILL'))
    const [, url = ''] = await server.says(/Listening on (http:\S+)/)
    const site = new Site(url.replace('127.0.0.1', 'localhost'), servers.mail)
    const apiToken = site.keep('API token', stdout.trim())
    site.keep('password', PASSWORD)
    site.keep('password typed in vain', TYPED)
    const stream = site.listen(apiToken)
    const token = await signIn(site, email)
    await signInToPanel(t, site, email)
    await useWebhooks(t, site, token, servers.receiver)
    await subscribe(t, site, token, servers.stripe)
    await until(
      async () => stream.told(),
      (told) => told > 0,
    )
    stream.end()
    for (const accept of ['application/json', 'text/csv', 'application/x-ndjson'])
      t.equal((await site.ask('GET /api/audit', { token: apiToken, headers: { accept } })).status, 200)
    for (const path of ['/metrics', '/api/users', '/api/tokens', '/api/settings'])
      await site.ask(`GET ${path}`, { token: apiToken })
    await useCommands(t, site, place)
    await stop(server)
    site.say('the log of the server', server.output.stdout + server.output.stderr)
    t.ok(keepFiles(site, 'the folder', place.cwd) > 1)
    if (place.url !== undefined) await keepTables(t, site, place.url)
    t.match([...site.said.keys()].join('\n'), /backup: quire-backup\.json/)
    t.strictSame(site.found(), [])
  })
