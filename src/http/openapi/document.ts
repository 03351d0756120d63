import { Components } from './components.ts'
import { errorResponses } from './errors.ts'
import { HEADINGS } from './headings.ts'
import type { Operation } from './operations.ts'
import { parametersOf, REQUEST_HEADERS, requestBodyOf } from './requests.ts'
import { RESPONSE_HEADERS, responsesOf, takesToken } from './responses.ts'
import type { OpenApi, OperationObject, PathItem, Tag } from './shapes.ts'

/** The metadata of an API document as a whole. */
export interface About {
  readonly title: string
  readonly version: string
  readonly description: string
  /** URL that it is served at, without a trailing slash. */
  readonly url: string
}

const BEARER = {
  type: 'http',
  scheme: 'bearer',
  description: 'An API token (`cms token:create`), or the access token of somebody who has signed in.',
}

/** The description of an API by what its routes say of themselves. Throws where two shapes or two operations have one name. */
export function openApi(operations: readonly Operation[], about: About): OpenApi {
  const components = new Components()
  const paths: Record<string, Record<string, OperationObject>> = {}
  for (const operation of operations) {
    const item = paths[operation.path] ?? {}
    item[operation.method.toLowerCase()] = operationOf(operation, components)
    paths[operation.path] = item
  }
  mustDiffer(operations.map(({ operationId }) => operationId))
  const { title, version, description, url } = about
  const responses = errorResponses((shape) => components.use(shape))
  return {
    openapi: '3.1.1',
    info: { title, version, description },
    servers: [{ url }],
    tags: tagsOf(paths),
    paths,
    components: {
      schemas: components.schemas(),
      responses,
      parameters: REQUEST_HEADERS,
      headers: RESPONSE_HEADERS,
      securitySchemes: { bearer: BEARER },
    },
  }
}

function operationOf(operation: Operation, components: Components): OperationObject {
  const { operationId, schema } = operation
  const parameters = parametersOf(operation, components)
  const requestBody = requestBodyOf(operation, components)
  return {
    operationId,
    summary: schema.summary ?? operationId,
    ...(schema.description !== undefined && { description: schema.description }),
    tags: schema.tags ?? [],
    security: takesToken(operation) ? [{ bearer: [] }] : [],
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: responsesOf(operation, components),
  }
}

function mustDiffer(ids: readonly string[]): void {
  const twice = ids.find((id, i) => ids.indexOf(id) !== i)
  if (twice !== undefined) throw new Error(`Two operations are called "${twice}".`)
}

/**
 * The headings of all operations, in the order in which they first come: content, what else is below `/api/`, what watches the
 * server. `words` says what is under each.
 */
export function tagsOf(
  paths: Readonly<Record<string, PathItem>>,
  words: Readonly<Record<string, string>> = HEADINGS,
): readonly Tag[] {
  const rank = (path: string) => (path.startsWith('/api/cms/') ? 0 : path.startsWith('/api/') ? 1 : 2)
  const items = Object.entries(paths).sort(([one], [other]) => rank(one) - rank(other))
  const names = items.flatMap(([, item]) => Object.values(item).flatMap(({ tags }) => tags))
  return [...new Set(names)].map((name) => {
    const description = Object.hasOwn(words, name) ? words[name] : undefined
    return description === undefined ? { name } : { name, description }
  })
}
