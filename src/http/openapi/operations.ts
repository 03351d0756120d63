import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify'

/** A route as it was declared, with one of its methods and the path as OpenAPI writes it: `/api/cms/{type}`. */
export interface Operation {
  readonly method: string
  readonly path: string
  readonly operationId: string
  /** Of a module's its heading is the module's name. */
  readonly schema: Omit<FastifySchema, 'tags'> & { readonly tags?: readonly string[] }
  /** True if it works without the body it takes. */
  readonly bodyOptional?: boolean | undefined
}

const NO_OPERATIONS: ReadonlySet<string> = new Set(['HEAD', 'OPTIONS'])

/** The routes of an app that are part of its API, taken note of as they are declared. */
export class Operations {
  readonly #found: Operation[] = []

  constructor(app: FastifyInstance) {
    app.addHook('onRoute', (route) => this.#add(route))
  }

  /** Those that say what they are, in the order of their declaration. */
  all(): readonly Operation[] {
    return this.#found
  }

  /** Takes one that is described apart from the route that answers it. */
  describe(operation: Operation): void {
    this.#found.push(operation)
  }

  #add({ method, url, schema = {}, config }: RouteOptions): void {
    const { operationId, hide } = schema
    if (hide || operationId === undefined) return
    const path = url.replaceAll(/:(\w+)(?:\([^)]*\))?/g, '{$1}')
    const methods = [method].flat().filter((name) => !NO_OPERATIONS.has(name))
    for (const [i, name] of methods.entries()) {
      this.#found.push({
        method: name,
        path,
        operationId: idOf(operationId, name, i),
        schema,
        bodyOptional: config?.bodyOptional,
      })
    }
  }
}

/** `updateRecord` by PATCH too is `patchRecord`: each operation's id is its own. */
function idOf(id: string, method: string, place: number): string {
  return place === 0 ? id : id.replace(/^[a-z]+/, method.toLowerCase())
}
