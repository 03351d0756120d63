import { Conflict, Forbidden, InvalidInput, NotFound, Unauthorized, Unavailable } from '#lib/errors.ts'
import { MOST_PACKED } from '#packages/archive.ts'
import { PackageFault } from '#packages/fault.ts'
import { isModuleName, MANIFEST_FILE } from '#packages/manifest.ts'
import { isVersion } from '#packages/versions.ts'

const TIMEOUT_MS = 30_000
/** The most bytes of an answer that is no package. */
const MOST_BYTES = 4 * 1024 * 1024

/** A module as the list of a registry has it. */
export interface ListedModule {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly author: string
  readonly license: string
  readonly tags: readonly string[]
  readonly downloads: number
  readonly integrity: string | null
  readonly signature: string | null
  readonly deprecated: string | null
  readonly published_at: string
}

/** A version as a registry has it. */
export interface ModuleRelease {
  readonly version: string
  readonly cms: string
  readonly permissions: readonly string[]
  readonly integrity: string | null
  readonly signature: string | null
  readonly repository: string | null
  readonly published_at: string
  readonly withdrawn: boolean
}

/** A module whole, as a registry has it. */
export interface ModuleDetail extends ListedModule {
  readonly versions: readonly string[]
  readonly readme: string
  readonly permissions: readonly string[]
  readonly cms: string
  readonly withdrawn: boolean
  readonly releases: readonly ModuleRelease[]
}

/** A part of the list of a registry. */
export interface ModuleSearch {
  readonly modules: readonly ListedModule[]
  readonly total: number
}

/** The way in which requests are sent: `fetch` of the program. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** Another Quire as a registry. What it answers is believed in nothing: packages are checked by whoever takes them. */
export class RegistryClient {
  /** Its address, without a slash at its end. */
  readonly url: string
  readonly #fetch: Fetch

  constructor(url: string, send: Fetch = fetch) {
    this.url = url.replace(/\/+$/, '')
    this.#fetch = send
  }

  /** Searches; `query` are the parameters of `GET /api/modules`. Throws Unavailable where the registry is not reached. */
  async search(query: Readonly<Record<string, string>>): Promise<ModuleSearch> {
    const { data, meta } = await this.#json(`?${new URLSearchParams(query)}`)
    if (!Array.isArray(data)) throw this.#odd()
    return { modules: data.map((one) => listed(one, this.#odd())), total: numberOf(mapOf(meta).total) }
  }

  /** One module. Throws NotFound. */
  async get(name: string): Promise<ModuleDetail> {
    if (!isModuleName(name)) throw new NotFound(`There is no module "${name}".`, NAMES)
    const data = mapOf((await this.#json(`/${name}`)).data)
    const releases = Array.isArray(data.releases) ? data.releases.map(mapOf) : []
    const one = listed(data, this.#odd())
    if (one.name !== name) throw this.#odd()
    return {
      ...one,
      ...{ versions: textsOf(data.versions), readme: textOf(data.readme), permissions: textsOf(data.permissions) },
      ...{ cms: textOf(data.cms), withdrawn: data.withdrawn === true },
      releases: releases.filter(({ version }) => isVersion(textOf(version))).map(releaseOf),
    }
  }

  /** The package of a version, as it came. Throws NotFound, PackageFault where it is over 20 MiB. */
  async download(name: string, version: string): Promise<Buffer> {
    const response = await this.#ask(`/${name}/${version}/download`)
    const bytes = await bounded(response, MOST_PACKED).catch((error) => this.#away(error))
    if (!bytes) throw new PackageFault(`The package of ${name} ${version} is over 20 MiB.`)
    return bytes
  }

  /** Publishes a version with a token. Throws what the registry says. */
  async publish(body: object, token: string): Promise<ListedModule> {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const { data } = await this.#json('', { method: 'POST', headers, body: JSON.stringify(body) })
    return listed(data, this.#odd())
  }

  async #json(path: string, init: RequestInit = {}): Promise<Readonly<Record<string, unknown>>> {
    const response = await this.#ask(path, init)
    const bytes = await bounded(response, MOST_BYTES).catch((error) => this.#away(error))
    try {
      return mapOf(JSON.parse((bytes ?? '').toString()))
    } catch {
      throw this.#odd()
    }
  }

  async #ask(path: string, init: RequestInit = {}): Promise<Response> {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const sent = this.#fetch(`${this.url}/api/modules${path}`, { redirect: 'error', signal, ...init })
    const response = await sent.catch((error) => this.#away(error))
    if (response.ok) return response
    const bytes = await bounded(response, MOST_BYTES).catch(() => undefined)
    throw failureOf(response.status, bytes?.toString() ?? '', this.url)
  }

  #away(error: unknown): never {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new Unavailable(`The registry ${this.url} is not reached: ${why}.`, 5, 'Check modules.registry and the network.')
  }

  #odd(): Unavailable {
    return new Unavailable(`${this.url} does not answer as a registry of modules.`, 60, 'Check modules.registry.')
  }
}

const NAMES = 'A name has 2 to 64 of a–z, 0–9 and -.'

const TOKEN = 'CMS_TOKEN is a token of the registry, with modules:publish, of who registered the name.'

/** The failure that a registry answered with, in its words. */
function failureOf(status: number, text: string, url: string): Error {
  const body = mapOf(parsed(text))
  const message = textOf(body.message) || `The registry ${url} answered ${status}.`
  if (status === 404) return new NotFound(message)
  if (status === 409) return new Conflict(message, undefined, `Count up \`version\` in ${MANIFEST_FILE}.`)
  if (status === 401) return Object.assign(new Unauthorized(message), { hint: TOKEN })
  if (status === 403) return Object.assign(new Forbidden(message), { hint: TOKEN })
  if (status === 422) {
    const errors = Object.entries(mapOf(body.errors)).map(([field, messages]) => [field, textsOf(messages)])
    return errors.length > 0 ? new InvalidInput(Object.fromEntries(errors)) : new InvalidInput({ module: [message] })
  }
  return new Unavailable(message, 5, 'Try again in a moment.')
}

/** Reads a body up to a limit; undefined where it is longer. */
async function bounded(response: Response, most: number): Promise<Buffer | undefined> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of response.body ?? []) {
    length += part.length
    if (length > most) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts)
}

function listed(value: unknown, odd: Error): ListedModule {
  const map = mapOf(value)
  const [name, version] = [textOf(map.name), textOf(map.version)]
  if (!isModuleName(name) || !isVersion(version)) throw odd
  return {
    ...{ name, version, description: textOf(map.description), author: textOf(map.author), license: textOf(map.license) },
    ...{ tags: textsOf(map.tags), downloads: numberOf(map.downloads), integrity: textOf(map.integrity) || null },
    ...{
      signature: textOf(map.signature) || null,
      deprecated: textOf(map.deprecated) || null,
      published_at: textOf(map.published_at),
    },
  }
}

function releaseOf(map: Readonly<Record<string, unknown>>): ModuleRelease {
  return {
    ...{ version: textOf(map.version), cms: textOf(map.cms), permissions: textsOf(map.permissions) },
    ...{ integrity: textOf(map.integrity) || null, signature: textOf(map.signature) || null },
    ...{ repository: textOf(map.repository) || null, published_at: textOf(map.published_at), withdrawn: map.withdrawn === true },
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function mapOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0
}
