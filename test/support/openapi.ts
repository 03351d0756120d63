import type { ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { FastifyInstance } from 'fastify'
import type { OpenApi, OperationObject, Ref, Response as Said } from '#http/openapi/shapes.ts'

/** The parts of an answer that a document describes. */
export interface Heard {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
}

const FORMATS: Readonly<Record<string, RegExp>> = {
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/,
  date: /^\d{4}-\d\d-\d\d$/,
  email: /^\S+@\S+$/,
  uri: /^[a-z][a-z0-9+.-]*:\S+$/i,
  'uri-reference': /^\S+$/,
}

/** Each document is compiled once, however many apps have it. */
const made = new Map<string, Conformance>()

/** Says what an answer has that its description has not. */
export class Conformance {
  readonly #document: OpenApi
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true, formats: FORMATS })
  readonly #compiled = new Map<string, ValidateFunction>()
  readonly #paths: readonly { readonly path: string; readonly pattern: RegExp }[]

  constructor(document: OpenApi) {
    this.#document = document
    this.#ajv.addSchema({ ...document }, 'document')
    const paths = Object.keys(document.paths).map((path) => ({ path, pattern: patternOf(path) }))
    // What is said in full goes before what a parameter stands for (OpenAPI 3.1.1, 4.8.8.2).
    this.#paths = paths.sort((a, b) => plainLength(b.path) - plainLength(a.path))
  }

  /** The conformance to what an app says of itself; undefined where it says nothing. */
  static async of(ask: (url: string) => Promise<{ statusCode: number; body: string }>): Promise<Conformance | undefined> {
    const { statusCode, body } = await ask('/api/openapi.json')
    if (statusCode !== 200) return undefined
    const conformance = made.get(body) ?? new Conformance(JSON.parse(body))
    made.set(body, conformance)
    return conformance
  }

  /** Returns the problem with an answer, as a sentence. Undefined if it is as described, or is not part of the API. */
  fault(method: string, url: string, heard: Heard): string | undefined {
    if (!isOperation(method, url)) return undefined
    const [path = '', query = ''] = url.split('?')
    const name = method === 'HEAD' ? 'get' : method.toLowerCase()
    const found = this.#paths.find((one) => one.pattern.test(path) && this.#document.paths[one.path]?.[name])
    const operation = found && this.#document.paths[found.path]?.[name]
    const where = `${method} ${path} answered ${heard.status}`
    const errorFault = () => (method === 'HEAD' ? undefined : this.#errorFault(where, heard))
    if (!operation) return heard.status < 400 ? `${where}, and is not described.` : errorFault()
    // What a parameter stands for may be a name that the address does not answer with this method.
    if (heard.status === 405) return errorFault()
    const said = this.#said(operation, heard.status)
    if (!said) return `${where}, which ${operation.operationId} is not described to answer: ${heard.text.slice(0, 200)}`
    return (
      headerFault(where, this.#needed(said), heard) ??
      (method === 'HEAD'
        ? undefined
        : this.#bodyFault(where, operation, said, heard, /(?:^|&)fields=/.test(query) || isShortened(heard)))
    )
  }

  #said({ responses }: OperationObject, status: number): Said | undefined {
    const said = responses[String(status)]
    return said && '$ref' in said ? this.#document.components.responses[nameOf(said)] : said
  }

  #needed({ headers = {} }: Said): string[] {
    const { components } = this.#document
    return Object.entries(headers)
      .filter(([, header]) => ('$ref' in header ? components.headers[nameOf(header)] : header)?.required)
      .map(([name]) => name)
  }

  #bodyFault(
    where: string,
    { operationId }: OperationObject,
    { content = {} }: Said,
    heard: Heard,
    isPart: boolean,
  ): string | undefined {
    const type = String(heard.headers['content-type'] ?? '').split(';', 1)[0] ?? ''
    if (Object.keys(content).length === 0) return heard.text === '' ? undefined : `${where} with a body, which is not described.`
    const media = content[type]
    if (!media) return `${where} as ${type}, which is not described.`
    return type === 'application/json'
      ? this.shapeFault(where, `${operationId} ${heard.status}`, media.schema, heard.text, isPart)
      : undefined
  }

  #errorFault(where: string, heard: Heard): string | undefined {
    return this.shapeFault(where, 'error', { $ref: '#/components/schemas/Error' }, heard.text)
  }

  /**
   * Returns the problem with a JSON text by a schema of the document. The schema is kept compiled under `key`. With `isPart`,
   * only some fields of the records were requested.
   */
  shapeFault(where: string, key: string, schema: object, text: string, isPart = false): string | undefined {
    const known = this.#compiled.get(key)
    const valid = known ?? this.#ajv.compile(pointed(schema) as object)
    this.#compiled.set(key, valid)
    if (valid(JSON.parse(text))) return undefined
    const faults = (valid.errors ?? [])
      .filter(({ instancePath, keyword }) => !(isPart && keyword === 'required' && /^\/data(?:\/\d+)?$/.test(instancePath)))
      .map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`)
    if (faults.length === 0) return undefined
    return `${where}, not in the shape that is described: ${faults.join('; ')}: ${text.slice(0, 300)}`
  }
}

/**
 * Holds every answer that an app gives to `inject` against what the app says of itself: one that is not as described fails
 * whoever asked. `except` are the addresses of routes that are not described.
 */
export function hold(app: FastifyInstance, except?: RegExp): FastifyInstance {
  const ask = app.inject.bind(app) as (options: unknown) => Promise<Awaited<ReturnType<FastifyInstance['inject']>>>
  let conformance: Promise<Conformance | undefined> | undefined
  const held = async (asked: string | { method?: string; url?: string }) => {
    const answer = await ask(asked)
    const { method = 'GET', url = '/' } = typeof asked === 'string' ? { url: asked } : asked
    // An app that is asked for other pages alone makes no document.
    if (!isOperation(method, url) || except?.test(url)) return answer
    conformance ??= Conformance.of(ask)
    const heard = { status: answer.statusCode, headers: answer.headers, text: answer.body }
    const fault = (await conformance)?.fault(method, url, heard)
    if (fault !== undefined) throw new Error(fault)
    return answer
  }
  app.inject = held as FastifyInstance['inject']
  return app
}

/** Browsers ask with OPTIONS whether they may ask: CORS, and no operation. */
function isOperation(method: string, url: string): boolean {
  return url.startsWith('/api/') && method !== 'OPTIONS'
}

/** References as they are from outside the document. */
function pointed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pointed)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, part]) => [name, name === '$ref' ? `document${part}` : pointed(part)])
  return Object.fromEntries(entries)
}

function headerFault(where: string, needed: readonly string[], { headers }: Heard): string | undefined {
  const missing = needed.find((name) => headers[name.toLowerCase()] === undefined)
  return missing === undefined ? undefined : `${where} without the header ${missing}.`
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{\w+\}/g, '[^/]+')}$`)
}

function plainLength(path: string): number {
  return path.includes('{') ? path.indexOf('{') : Number.POSITIVE_INFINITY
}

function nameOf({ $ref }: Ref): string {
  return $ref.split('/').pop() ?? ''
}

/** Returns whether an answer indicates that some fields of its records are omitted. */
function isShortened({ text }: Heard): boolean {
  return /"meta":\{[^{}]*"omitted":\[/.test(text.slice(-500_000))
}
