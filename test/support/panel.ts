import type { InjectOptions } from 'fastify'
import type { Test } from 'tap'
import type { User } from '#features/users/user.ts'
import { type AppOptions, TestApp } from './app.ts'
import type { TestClock } from './clock.ts'
import { BY } from './signing-in.ts'
import { eachStore, type OpenedStore, type StoreOptions } from './stores.ts'

/** An answer of the panel. */
export interface PanelAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly html: string
  /** The address that it leads to. */
  readonly location: string | undefined
}

/** The fields of a form: a name that comes several times has a list. */
export type Form = Readonly<Record<string, string | readonly string[]>>

/** Options of a request, beside its form. */
export interface PanelRequest {
  /** The network address of the client. */
  readonly from?: string
  readonly form?: Form
  readonly headers?: Readonly<Record<string, string>>
  /** The body that is no form. */
  readonly payload?: string | Buffer
}

/** Two messages to one address are a minute apart. */
const MINUTE = 60_000

/** The switches that the panel's tests have on. */
export const PANEL_FEATURES = {
  api: true,
  auth: true,
  admin: true,
  revisions: true,
  search: true,
  taxonomy: true,
  menus: true,
  settings: true,
  media: true,
  site: true,
} as const

/** As much of a browser as the panel needs: cookies, and the proof that the last page's forms carry. */
export class PanelBrowser {
  readonly #app: TestApp
  readonly #clock: TestClock
  readonly #host: string
  readonly #jar = new Map<string, string>()
  /** The proof of the last page that had one. */
  csrf = ''

  constructor(app: TestApp, clock: TestClock, host = 'localhost') {
    this.#app = app
    this.#clock = clock
    this.#host = host
  }

  /** The cookies that it holds. */
  get cookies(): ReadonlyMap<string, string> {
    return this.#jar
  }

  /** Puts a cookie into it, as somebody else might. */
  plant(name: string, value: string): void {
    this.#jar.set(name, value)
  }

  get(url: string, options: PanelRequest = {}): Promise<PanelAnswer> {
    return this.ask('GET', url, options)
  }

  /** Sends a form with the proof of the last page. */
  post(url: string, form: Form = {}, headers: Readonly<Record<string, string>> = {}): Promise<PanelAnswer> {
    return this.ask('POST', url, { form: { _csrf: this.csrf, ...form }, headers })
  }

  async ask(method: string, url: string, { form, headers, payload, from }: PanelRequest = {}): Promise<PanelAnswer> {
    const cookie = [...this.#jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const sent = form ? encoded(form) : payload
    const answer = await this.#app.app.inject({
      method,
      url,
      ...(from !== undefined && { remoteAddress: from }),
      headers: {
        host: this.#host,
        ...(cookie !== '' && { cookie }),
        ...(form && { 'content-type': 'application/x-www-form-urlencoded', origin: `http://${this.#host}` }),
        ...headers,
      },
      ...(sent !== undefined && { payload: sent }),
    } as InjectOptions)
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) this.#keep(String(line))
    this.csrf = /name="_csrf" value="([^"]+)"/.exec(answer.body)?.[1] ?? this.csrf
    const location = answer.headers.location
    return {
      status: answer.statusCode,
      headers: answer.headers as PanelAnswer['headers'],
      html: answer.body,
      location: location as string | undefined,
    }
  }

  /** Signs in with a code that comes by mail. */
  async signIn(email: string, next = '/admin'): Promise<PanelAnswer> {
    this.#clock.advance(MINUTE)
    await this.get(`/admin/login?next=${encodeURIComponent(next)}`)
    await this.post('/admin/login', { email })
    await this.get('/admin/verify')
    return this.post('/admin/verify', { code: (await codeOf(this.#app)) ?? '' })
  }

  #keep(line: string): void {
    const [pair = ''] = line.split(';')
    const [name = '', value = ''] = pair.split('=')
    if (/Max-Age=0/.test(line)) this.#jar.delete(name)
    else this.#jar.set(name, value)
  }
}

/** Takes out the newest message as a postman would: the code or the link in it. */
export async function codeOf(app: TestApp): Promise<string | undefined> {
  const message = app.messages.pop()
  return message && (await app.compose(message))?.shown
}

/** The fixtures of a test of the panel: Ada is the owner and signed in. */
export interface PanelGiven {
  readonly app: TestApp
  readonly opened: OpenedStore
  readonly ada: User
  readonly browser: PanelBrowser
  /** Makes a user of a role, signed in at a browser of their own. */
  as(role: string): Promise<{ user: User; browser: PanelBrowser }>
}

/** Options of a test of the panel: of its app, and of its store beside the files. */
export interface PanelOptions extends AppOptions {
  readonly site?: Omit<StoreOptions, 'files'>
}

/** Runs a test of the panel on each store, over these files. */
export async function panelOf(
  t: Test,
  files: Readonly<Record<string, string>>,
  body: (t: Test, given: PanelGiven) => Promise<void>,
  { site, ...options }: PanelOptions = {},
): Promise<void> {
  await eachStore(t, { ...site, files }, async (t, opened) => body(t, await panelOn(t, opened, options)))
}

/** Opens a panel on a store, for what is no matter of stores. */
export async function panelOn(t: Test, opened: OpenedStore, options: AppOptions = {}): Promise<PanelGiven> {
  const app = new TestApp(opened, { ...options, config: { features: PANEL_FEATURES, ...options.config } })
  t.teardown(() => app.close())
  const ada = await app.features.users.create({ email: 'ada@example.org', name: 'Ada', role: 'owner' }, BY)
  const browser = new PanelBrowser(app, opened.clock)
  await browser.signIn(ada.email)
  const as = async (role: string) => {
    const user = await app.features.users.create({ email: `${role}@example.org`, name: role, role }, BY)
    const other = new PanelBrowser(app, opened.clock)
    await other.signIn(user.email)
    return { user, browser: other }
  }
  return { app, opened, ada, browser, as }
}

function encoded(form: Form): string {
  const pairs = Object.entries(form).flatMap(([name, value]) => [value].flat().map((one): [string, string] => [name, one]))
  return new URLSearchParams(pairs).toString()
}
