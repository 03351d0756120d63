import { isTaken } from '#core/permalink.ts'
import { MethodNotAllowed, NotFound } from '#lib/errors.ts'

/** The paths of all routes with their methods, to tell what is no address from what is one but answers other methods. */
export class KnownPaths {
  readonly #paths = new Map<string, { pattern: RegExp; methods: Set<string> }>()

  #site = new Set<string>()

  /**
   * Takes note of a route; one for any path (`/*`) answers for the site: all that is not Quire's own. That for any path of the API
   * answers what is no address, and `*` what browsers ask before they send something to another origin: neither makes one.
   */
  add(path: string, methods: readonly string[]): void {
    if (path === '/*') this.#site = new Set([...this.#site, ...methods])
    if (path === '*' || path === '/*' || path === '/api/*') return
    const known = this.#paths.get(path) ?? { pattern: patternOf(path), methods: new Set<string>() }
    for (const method of methods) known.methods.add(method)
    this.#paths.set(path, known)
  }

  /** Returns the error for a request that no route answers. */
  failure(method: string, path: string): MethodNotAllowed | NotFound {
    return this.refusal(method, path) ?? new NotFound('There is nothing at this address.')
  }

  /** Returns the error for a method that the address does not allow; undefined if it does, or does not exist. */
  refusal(method: string, path: string): MethodNotAllowed | undefined {
    const fitting = [...this.#paths].filter(([, { pattern }]) => pattern.test(path))
    // `types` is not a value of `:type`: only a literal match counts.
    const closest = Math.max(...fitting.map(([known]) => plainLength(known)))
    const allowed = new Set(fitting.flatMap(([known, { methods }]) => (plainLength(known) === closest ? [...methods] : [])))
    if (allowed.size === 0 && !isTaken(path)) for (const known of this.#site) allowed.add(known)
    return allowed.size > 0 && !allowed.has(method) ? new MethodNotAllowed([...allowed].sort()) : undefined
  }
}

/** Returns the length of a path up to its first parameter, or its `*`. */
function plainLength(path: string): number {
  const end = path.search(/[:*]/)
  return end < 0 ? Number.POSITIVE_INFINITY : end
}

/** A parameter is one segment, not empty; a `*` at the end is all that is left. */
function patternOf(path: string): RegExp {
  const plain = (part: string) => part.replaceAll(/[.\\+^${}()|[\]]/g, '\\$&').replace(/\*$/, '.*')
  const parts = path.split('/').map((part) => (part.startsWith(':') ? '[^/]+' : plain(part)))
  return new RegExp(`^${parts.join('/')}$`)
}
