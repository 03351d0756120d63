import type { ContentType } from '../../core/content-type.ts'
import { tagsOf } from '../../http/openapi/document.ts'
import type { OpenApi, OperationObject, Parameter, PathItem, Ref, Schema } from '../../http/openapi/shapes.ts'
import { changeOf, inputOf, recordOf, typeNames } from './typed-schemas.ts'

const OF_A_TYPE = '/api/cms/{type}'

/** A type, and what names of the document are made of it. */
interface Named {
  readonly type: ContentType
  readonly name: string
}

/** The document with paths of these types beside those of all: `/api/cms/posts`, whose records have the fields that the type declares. */
export function withTypes(document: OpenApi, types: readonly ContentType[]): OpenApi {
  const names = typeNames(types)
  const named = types.map((type): Named => ({ type, name: names.get(type.name) ?? type.name }))
  const general = Object.entries(document.paths).filter(([path]) => path === OF_A_TYPE || path.startsWith(`${OF_A_TYPE}/`))
  const paths: Record<string, PathItem> = { ...document.paths }
  for (const one of named) {
    for (const [path, item] of general) paths[path.replace('{type}', encodeURIComponent(one.type.name))] = pathOf(item, one)
  }
  const record = document.components.schemas.Record ?? {}
  const schemas = { ...document.components.schemas, ...Object.assign({}, ...named.map((one) => schemasOf(one, record, names))) }
  return { ...document, tags: tagsOf(paths), paths, components: { ...document.components, schemas } }
}

function schemasOf({ type, name }: Named, record: Schema, names: ReadonlyMap<string, string>): Record<string, Schema> {
  return {
    [`${name}Record`]: recordOf(type, record, names),
    [`${name}RecordInput`]: inputOf(type),
    [`${name}RecordChange`]: changeOf(type),
  }
}

function pathOf(item: PathItem, named: Named): PathItem {
  const operations = Object.entries(item).map(([method, operation]) => [method, operationOf(operation, method, named)])
  return Object.fromEntries(operations)
}

function operationOf(operation: OperationObject, method: string, { type, name }: Named): OperationObject {
  const refs = new Map([
    ['#/components/schemas/Record', `#/components/schemas/${name}Record`],
    ['#/components/schemas/RecordInput', `#/components/schemas/${name}Record${method === 'post' ? 'Input' : 'Change'}`],
  ])
  const turned = renamed(operation, refs) as OperationObject
  const parameters = turned.parameters
    ?.filter((parameter) => !isNamed(parameter, 'type'))
    .flatMap((parameter) => termsOf(parameter, type))
  return {
    ...turned,
    operationId: operation.operationId.replace('Record', `${name}Record`),
    tags: [type.label],
    ...(parameters && { parameters }),
  }
}

/** Examples go: they are of another type. */
function renamed(value: unknown, refs: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => renamed(item, refs))
  if (typeof value !== 'object' || value === null) return value
  const parts = Object.entries(value).filter(([key]) => key !== 'example')
  return Object.fromEntries(
    parts.map(([key, part]) => [key, key === '$ref' ? (refs.get(String(part)) ?? part) : renamed(part, refs)]),
  )
}

function isNamed(parameter: Parameter | Ref, name: string): boolean {
  return 'name' in parameter && parameter.name === name
}

/** In the place of terms in general, the taxonomies of the type by their singular names. */
function termsOf(parameter: Parameter | Ref, type: ContentType): (Parameter | Ref)[] {
  if (!isNamed(parameter, 'terms')) return [parameter]
  return type.taxonomies.map(({ singular }) => ({
    name: singular,
    in: 'query',
    description: 'Ids of terms; commas mean any, and descendants are meant too.',
    schema: { type: 'string' },
  }))
}
