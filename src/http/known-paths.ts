import { MethodNotAllowed, NotFound } from '../core/errors.ts'

/** The paths of all routes with their methods, to tell what is no address from what is one but answers other methods. */
export class KnownPaths {
  readonly #paths = new Map<string, { pattern: RegExp; methods: Set<string> }>()

  /** Takes note of a route; one for any path (`*`) says nothing about which there are. */
  add(path: string, methods: readonly string[]): void {
    if (path.includes('*')) return
    const known = this.#paths.get(path) ?? { pattern: patternOf(path), methods: new Set<string>() }
    for (const method of methods) known.methods.add(method)
    this.#paths.set(path, known)
  }

  /** What to say to a request that no route answers. */
  failure(method: string, path: string): MethodNotAllowed | NotFound {
    const allowed = new Set<string>()
    for (const { pattern, methods } of this.#paths.values()) {
      if (pattern.test(path)) for (const known of methods) allowed.add(known)
    }
    if (allowed.size > 0 && !allowed.has(method)) return new MethodNotAllowed([...allowed].sort())
    return new NotFound('There is nothing at this address.')
  }
}

/** A parameter is one segment, not empty. */
function patternOf(path: string): RegExp {
  const parts = path.split('/').map((part) => (part.startsWith(':') ? '[^/]+' : part.replaceAll(/[.\\+^${}()|[\]]/g, '\\$&')))
  return new RegExp(`^${parts.join('/')}$`)
}
