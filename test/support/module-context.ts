import { keyOf, parseKey } from '#core/key.ts'
import type { Change } from '#core/store.ts'
import type { Clock } from '#lib/clock.ts'
import { Conflict, Stale } from '#lib/errors.ts'
import type {
  Collection,
  Fields,
  Handler,
  ModuleContext,
  ModuleDefinition,
  ModuleReply,
  RouteGroup,
  RouteOptions,
  StoredItem,
  StoreQuery,
} from '#module/module.ts'
import { ModuleError } from '#module/module.ts'
import type { OpenedStore } from './stores.ts'

/** A store as a module needs it. */
type Opened = Pick<OpenedStore, 'store' | 'ledger'> & { readonly clock: Clock }

const BY = { name: 'Quire', email: 'quire@localhost' }

/** Things that a test of a module gives it, beside its store. */
export interface ContextOptions {
  readonly config?: Fields
  readonly timezone?: string
}

/** A letter that a module sent. */
export interface Letter {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** A module on a store: its context, and ways to call it as a server does. */
export class TestModule {
  readonly context: ModuleContext
  readonly definition: ModuleDefinition
  readonly letters: Letter[] = []
  readonly logged: string[] = []
  readonly #routes: {
    readonly method: string
    readonly path: string
    readonly options: RouteOptions
    readonly handler: Handler
  }[] = []

  constructor(
    name: string,
    definition: ModuleDefinition,
    opened: Opened,
    { config = {}, timezone = 'UTC' }: ContextOptions = {},
  ) {
    const { ledger, clock } = opened
    const of = (fact: string) => `${name}.${fact}`
    const unused = (): never => {
      throw new Error('The module has no permission for this.')
    }
    this.definition = definition
    this.context = {
      store: {
        collection: (collection) => collectionOf(opened, `.${name}-${collection}`),
        facts: {
          put: (fact, value, ttl) => ledger.put(of(fact), value, ttl),
          take: (fact) => ledger.take(of(fact)),
          peek: (fact) => ledger.peek(of(fact)),
          add: (fact, n, ttl) => ledger.add(of(fact), n, ttl),
        },
      },
      records: { get: unused, list: unused, create: unused, update: unused, remove: unused },
      http: { request: unused },
      mail: { send: async (letter) => void this.letters.push(letter) },
      settings: { get: unused, set: unused },
      log: { info: (line) => this.#log(line), warn: (line) => this.#log(line), error: (line) => this.#log(line) },
      site: { name: 'Example', url: 'https://example.org', locale: 'en', timezone },
      config,
      now: () => clock.now(),
      addJob: unused,
    }
    definition.routes?.(this.#group('', undefined), this.context)
  }

  /** Calls the route of `GET /api/x?days=7` with its handler. */
  async ask(
    words: string,
    { body = {}, headers = {} }: { body?: Fields; headers?: Readonly<Record<string, string>> } = {},
  ): Promise<{ status: number; body: unknown; headers: Record<string, string>; auth: string | undefined }> {
    const [method = '', address = ''] = words.split(' ')
    const url = new URL(address, 'http://localhost')
    const found = this.#routes
      .filter((route) => route.method === method)
      .map((route) => ({ ...route, params: paramsOf(route.path, url.pathname) }))
      .find(({ params }) => params !== undefined)
    if (!found?.params) throw new Error(`There is no route ${words}.`)
    const answer = { status: 200, body: undefined as unknown, headers: {} as Record<string, string> }
    const reply: ModuleReply = {
      code: (status) => {
        answer.status = status
        return reply
      },
      header: (name, value) => {
        answer.headers[name] = value
        return reply
      },
      type: (value) => reply.header('content-type', value),
      send: (sent) => {
        answer.body = sent
        return reply
      },
    }
    const caller = { id: undefined, name: undefined, may: () => true }
    const query = Object.fromEntries(url.searchParams)
    const returned = await found.handler({ params: found.params, query, body, headers, caller, ip: '192.0.2.1', reply })
    if (returned !== reply) answer.body = returned
    return { ...answer, auth: found.options.auth }
  }

  /** Does a job once. */
  async work(job: string): Promise<void> {
    await this.definition.jobs?.[job]?.run(null, this.context, new AbortController().signal)
  }

  #log(line: string): void {
    this.logged.push(line)
  }

  #group(prefix: string, auth: RouteOptions['auth']): RouteGroup {
    const route =
      (method: string) =>
      (path: string, ...rest: readonly unknown[]) => {
        const [options, handler] = (rest.length === 1 ? [{}, rest[0]] : rest) as [RouteOptions, Handler]
        const whole = `${prefix}${path}`.replace(/(?<=.)\/$/, '')
        this.#routes.push({ method, path: whole, options: { ...(auth && { auth }), ...options }, handler })
      }
    return {
      group: (options, declare) => declare(this.#group(prefix + (options.prefix ?? ''), options.auth ?? auth)),
      ...{ get: route('GET'), post: route('POST'), put: route('PUT'), patch: route('PATCH'), delete: route('DELETE') },
    }
  }
}

function paramsOf(pattern: string, path: string): Record<string, string> | undefined {
  const [wanted, given] = [pattern.split('/'), path.split('/')]
  if (wanted.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [n, part] of wanted.entries()) {
    if (part.startsWith(':')) params[part.slice(1)] = decodeURIComponent(given[n] ?? '')
    else if (part !== given[n]) return undefined
  }
  return params
}

function collectionOf({ store }: Opened, kind: string): Collection {
  const write = async (change: Change) => {
    try {
      return await store.write([change], BY)
    } catch (error) {
      throw error instanceof Conflict || error instanceof Stale ? new ModuleError(409, error.message) : error
    }
  }
  const itemOf = ({ key, fields, version }: { key: { id: string }; fields: Fields; version: string }): StoredItem => ({
    id: key.id,
    fields,
    version,
  })
  return {
    async get(id) {
      const key = parseKey(kind, id)
      const head = key && (await store.head(key))
      return head && itemOf(head)
    },
    async list({ where = {}, sort = [], offset = 0, limit = 100 }: StoreQuery = {}) {
      const { items, total } = await store.heads(kind, {
        where: Object.entries(where).map(([field, value]) => ({ field, op: 'eq', value, as: 'any' })),
        sort: sort.map((name) => ({ field: name.replace(/^-/, ''), descending: name.startsWith('-'), as: 'any' })),
        ...{ offset, limit },
      })
      return { items: items.map(itemOf), total }
    },
    async put(id, fields, expects) {
      const key = keyOf(kind, id)
      const had = await store.head(key)
      const gone = Object.keys(had?.fields ?? {}).filter((name) => !Object.hasOwn(fields, name))
      const set = { ...fields, ...Object.fromEntries(gone.map((name) => [name, null])) }
      const [made] = await write({ key, put: { set, ...(had ? {} : { body: '' }) }, ...(expects !== undefined && { expects }) })
      if (!made) throw new Error('The store answered nothing.')
      return itemOf(made)
    },
    async remove(id) {
      const key = parseKey(kind, id)
      if (!key || !(await store.head(key))) return false
      await write({ key, remove: true })
      return true
    },
  }
}
