import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { cmsAlone, type Running, scratchSite, start, until } from '#support/cli.ts'

export type Teardown = { teardown(work: () => Promise<unknown> | unknown): unknown }

/** The answer of a node; status 0 if no answer came. */
export interface Answer {
  status: number
  etag: string
  retryAfter: string | null
  // biome-ignore lint/suspicious/noExplicitAny: a test's assertions are its types
  body: any
}

const CLIENTS = 8
const CONFIG = 'storage: { driver: postgres }\nthrottle: { api: off }\ntypes: { posts: {} }\n'
const CMS_SECRET = 'a secret that is long enough to be one'
const STILL = /still being answered/

/** `cms serve` in a folder of its own, which can be killed and started again at the same address. */
export class Node {
  readonly root: string
  readonly #env: Record<string, string>
  url = ''
  running: Running | undefined
  /** The output on stderr, over all its lives. */
  said = ''

  /** On a database if one is given, else on the files of its own folder. */
  constructor(t: Teardown, config: string, database?: string) {
    this.root = scratchSite(t, { 'cms.config.yaml': config })
    this.#env = database === undefined ? {} : { DATABASE_URL: database, CMS_SECRET }
    t.teardown(() => this.running?.process.kill('SIGKILL'))
  }

  async start(): Promise<void> {
    const running = start(['serve', '--port', new URL(this.url || 'http://x:0').port || '0'], { cwd: this.root, env: this.#env })
    this.running = running
    const [, url = ''] = await running.says(/^Listening on (\S+)\n/)
    this.url = url
  }

  async kill(signal: NodeJS.Signals): Promise<number> {
    this.running?.process.kill(signal)
    const end = await this.running?.done
    this.said += end?.stderr ?? ''
    return end?.code ?? 0
  }

  signal(signal: NodeJS.Signals): void {
    this.running?.process.kill(signal)
  }

  /** Made by a process that has ended: who kills all that are at work in the folder kills no other. */
  async token(): Promise<string> {
    return (
      await cmsAlone(['token:create', '--name', 'load', '--scope', 'edit'], { cwd: this.root, env: this.#env })
    ).stdout.trim()
  }

  get isAlive(): boolean {
    return this.running?.process.exitCode === null && this.running.process.signalCode === null
  }
}

/** Two nodes on one database, and who asks them. */
export class Site {
  readonly nodes: readonly Node[]
  readonly #token: string

  private constructor(nodes: readonly Node[], token: string) {
    this.nodes = nodes
    this.#token = token
  }

  static async open(t: Teardown, database: string): Promise<Site> {
    const nodes = [new Node(t, CONFIG, database), new Node(t, CONFIG, database)]
    for (const node of nodes) await node.start()
    return new Site(nodes, (await nodes[0]?.token()) ?? '')
  }

  node(nth: number): Node {
    const node = this.nodes[nth % this.nodes.length]
    if (!node) throw new Error('There is no node.')
    return node
  }

  async ask(nth: number, request: string, body?: object, headers: Record<string, string> = {}): Promise<Answer> {
    const [method = 'GET', path = ''] = request.split(' ')
    try {
      const answer = await fetch(this.node(nth).url + path, {
        method,
        headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json', ...headers },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(30_000),
      })
      const { status, headers: answered } = answer
      return { status, etag: answered.get('etag') ?? '', retryAfter: answered.get('retry-after'), body: await answer.json() }
    } catch (error) {
      return { status: 0, etag: '', retryAfter: null, body: String(error) }
    }
  }

  /** All records, as a node lists them. */
  async list(nth: number): Promise<{ id: string; title: string }[]> {
    const all: { id: string; title: string }[] = []
    for (let page = 1; ; page++) {
      const { status, body } = await this.ask(nth, `GET /api/cms/posts?per_page=100&page=${page}&sort=created_at`)
      if (status !== 200) throw new Error(`A list was answered with ${status}: ${JSON.stringify(body)}`)
      all.push(...body.data)
      if (body.data.length < 100) return all
    }
  }
}

/** The requests of clients and the answers to them, until the clients are stopped. */
export class Load {
  readonly #site: Site
  readonly #clients: Promise<void>[]
  #isOver = false
  /** Titles of creates and of changes: those asked for, and those answered with 2xx. */
  readonly asked = new Set<string>()
  readonly answered = new Set<string>()
  readonly statuses: Record<string, number> = {}
  readonly faults: string[] = []
  /** The longest that a create took with all its retries, in milliseconds. */
  longest = 0

  constructor(site: Site) {
    this.#site = site
    this.#clients = Array.from({ length: CLIENTS }, (_, client) => this.#run(client))
  }

  /** Resolves when so many more were answered. */
  async goesOn(more: number): Promise<void> {
    const enough = this.answered.size + more
    await until(
      async () => this.answered.size,
      (size) => size >= enough,
    )
  }

  async end(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#clients)
  }

  async #run(client: number): Promise<void> {
    const own = `own-${client}-${randomUUID()}`
    const first = await this.#create(client, own)
    if (first.status !== 201) throw new Error(`A record could not be made: ${JSON.stringify(first)}`)
    const { id } = first.body.data
    for (let nth = 0; !this.#isOver; nth++) {
      await this.#create(client + nth, `made-${client}-${nth}-${own.slice(-6)}`)
      await this.#change(client + nth, id, `changed-${client}-${nth}-${own.slice(-6)}`)
    }
  }

  /** Asks with one key until it is answered, of one node and the other in turn. */
  async #create(first: number, title: string): Promise<Answer> {
    const key = { 'idempotency-key': randomUUID() }
    const begun = performance.now()
    this.asked.add(title)
    for (let nth = first; ; nth++) {
      const answer = await this.#counted(nth, 'POST /api/cms/posts', { title }, key)
      const isLate = performance.now() - begun > 40_000
      if (answer.status === 201 || !isAgain(answer) || isLate) {
        if (answer.status === 201) this.answered.add(title)
        else this.faults.push(`${title} was answered with ${answer.status}: ${JSON.stringify(answer.body)}`)
        this.longest = Math.max(this.longest, performance.now() - begun)
        return answer
      }
      await breath(answer)
    }
  }

  /** A change of a record that nobody else changes. Where its answer is lost, it is left at that. */
  async #change(nth: number, id: string, title: string): Promise<void> {
    const before = await this.#counted(nth, `GET /api/cms/posts/${id}`)
    if (before.status !== 200) {
      if (!isAgain(before)) this.faults.push(`${id} was answered with ${before.status}: ${JSON.stringify(before.body)}`)
      return breath(before)
    }
    this.asked.add(title)
    const { status, body } = await this.#counted(nth + 1, `PUT /api/cms/posts/${id}`, { title }, { 'if-match': before.etag })
    if (status === 200) this.answered.add(title)
    else if (status !== 0 && status !== 503) this.faults.push(`${title} was answered with ${status}: ${JSON.stringify(body)}`)
  }

  async #counted(nth: number, request: string, body?: object, headers?: Record<string, string>): Promise<Answer> {
    const answer = await this.#site.ask(nth, request, body, headers)
    const name = `${request.split(' ')[0]} ${answer.status}`
    this.statuses[name] = (this.statuses[name] ?? 0) + 1
    return answer
  }
}

/** Returns whether a connection keeps others from writing, and nothing comes of it. */
export async function holdsTheSite(database: string): Promise<boolean> {
  const ask = async () => {
    const { rows } = await asked(
      database,
      `select state from pg_stat_activity where application_name = 'quire' and backend_xid is not null and state <> 'idle'`,
    )
    return rows.map(({ state }) => state)
  }
  const states = await until(ask, (states) => !states.includes('active'))
  return states.includes('idle in transaction')
}

async function asked(database: string, question: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: database })
  await client.connect()
  return client.query(question).finally(() => client.end())
}

function isAgain({ status, body }: Answer): boolean {
  return status === 0 || status === 503 || (status === 409 && STILL.test(JSON.stringify(body)))
}

/** As a client that is not allowed to ask without a pause. */
async function breath({ status }: Answer): Promise<void> {
  if (status !== 200) await new Promise((resolve) => setTimeout(resolve, 25))
}

/** Returns the broken promises among the requests and their answers. */
export async function faultsOf(site: Site, load: Load, database: string): Promise<string[]> {
  const faults = [...load.faults]
  const check = (isSo: boolean, fault: string) => isSo || faults.push(fault)
  const [one = [], other = []] = await Promise.all(site.nodes.map((_, nth) => site.list(nth)))
  check(JSON.stringify(one) === JSON.stringify(other), 'the nodes do not list the same')
  const { rows } = await asked(
    database,
    `select id, number, substring(convert_from(bytes, 'UTF8') from 'title: (\\S+)') as title from quire.revisions order by place`,
  )
  const written = new Map<string, { id: string; number: number }[]>()
  for (const { id, number, title } of rows) written.set(title, [...(written.get(title) ?? []), { id, number }])
  for (const title of load.answered) check(written.has(title), `${title} was answered and is not there`)
  for (const [title, places] of written) {
    check(load.asked.has(title), `${title} was not asked for`)
    check(places.length === 1, `${title} is there ${places.length} times`)
  }
  const made = [...written.keys()].filter((title) => !title.startsWith('changed'))
  check(one.length === made.length, `${one.length} records are listed, and ${made.length} were made`)
  return faults
}
