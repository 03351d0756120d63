import type { ContentType } from '#core/types/content-type.ts'
import { comparisonOf } from '#core/types/types.ts'
import { Components } from '#http/openapi/components.ts'
import { tagsOf } from '#http/openapi/document.ts'
import { type FilterField, filterParameters } from '#http/openapi/filters.ts'
import { HEADINGS } from '#http/openapi/headings.ts'
import { queryParameters } from '#http/openapi/requests.ts'
import type { OpenApi, OperationObject, Parameter, PathItem, Ref, Schema } from '#http/openapi/shapes.ts'
import { changeOf, inputOf, recordOf, typeNames } from './typed-schemas.ts'

const OF_A_TYPE = '/api/cms/{type}'

/** A type, and what names of the document are made of it. */
interface Named {
  readonly type: ContentType
  readonly name: string
}

/**
 * The document with paths of these types beside those of all: `/api/cms/posts`, whose records have the fields that the type
 * declares. `terms` are the parameters by which lists of any type choose terms: singular names of taxonomies.
 */
export function withTypes(document: OpenApi, types: readonly ContentType[], terms: readonly string[]): OpenApi {
  const names = typeNames(types)
  const named = types.map((type): Named => ({ type, name: names.get(type.name) ?? type.name }))
  const general = Object.entries(document.paths).filter(([path]) => path === OF_A_TYPE || path.startsWith(`${OF_A_TYPE}/`))
  const paths: Record<string, PathItem> = Object.fromEntries(
    Object.entries(document.paths).map(([path, item]) => [path, path === OF_A_TYPE ? withTerms(item, terms) : item]),
  )
  const components = new Components()
  for (const one of named) {
    for (const [path, item] of general)
      paths[path.replace('{type}', encodeURIComponent(one.type.name))] = pathOf(item, one, components)
  }
  const record = document.components.schemas.Record ?? {}
  const schemas = {
    ...document.components.schemas,
    ...components.schemas(),
    ...Object.assign({}, ...named.map((one) => schemasOf(one, record, names))),
  }
  const words = Object.fromEntries(types.map(({ name, label }) => [label, `Records of the type "${name}".`]))
  return { ...document, tags: tagsOf(paths, { ...words, ...HEADINGS }), paths, components: { ...document.components, schemas } }
}

function schemasOf({ type, name }: Named, record: Schema, names: ReadonlyMap<string, string>): Record<string, Schema> {
  return {
    [`${name}Record`]: recordOf(type, record, names),
    [`${name}RecordInput`]: inputOf(type),
    [`${name}RecordChange`]: changeOf(type),
  }
}

function pathOf(item: PathItem, named: Named, components: Components): PathItem {
  const operations = Object.entries(item).map(([method, operation]) => [
    method,
    operationOf(operation, method, named, components),
  ])
  return Object.fromEntries(operations)
}

function operationOf(operation: OperationObject, method: string, { type, name }: Named, components: Components): OperationObject {
  const refs = new Map([
    ['#/components/schemas/Record', `#/components/schemas/${name}Record`],
    ['#/components/schemas/RecordChange', `#/components/schemas/${name}RecordChange`],
    ['#/components/schemas/RecordInput', `#/components/schemas/${name}Record${method === 'post' ? 'Input' : 'Change'}`],
  ])
  const turned = renamed(operation, refs) as OperationObject
  const parameters = turned.parameters
    ?.filter((parameter) => !isNamed(parameter, 'type'))
    .flatMap((parameter) => ofType(parameter, type, components))
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

/**
 * In the place of terms in general, the taxonomies of the type by their singular names; in that of filters, those by its own
 * fields too.
 */
function ofType(parameter: Parameter | Ref, type: ContentType, components: Components): (Parameter | Ref)[] {
  if (isNamed(parameter, 'terms')) return termParameters(type.taxonomies.map(({ singular }) => singular))
  if (isNamed(parameter, 'filter')) return filtersOf(parameter as Parameter, type, components)
  return 'name' in parameter && COMMON_FILTER.test(parameter.name) ? [] : [parameter]
}

/** A filter by a field that records of every type have, but for `filter[own]`, which is about what is no field. */
const COMMON_FILTER = /^filter\[(?!own\])/

function filtersOf({ schema }: Parameter, type: ContentType, components: Components): Parameter[] {
  const common = Object.keys(schema.properties as object)
  const names = new Set([...common, ...type.taxonomies.map(({ name }) => name), ...type.fields.keys()])
  const fields = [...names].map((name): FilterField => [name, comparisonOf(name, type.fields)])
  return queryParameters({ properties: filterParameters(fields, type.additionalFields && type.fields.size === 0) }, components)
}

/** A list's parameters with those by which terms are chosen before the general one. */
function withTerms(item: PathItem, terms: readonly string[]): PathItem {
  const { get } = item
  if (!get?.parameters) return item
  const parameters = get.parameters.flatMap((one) => (isNamed(one, 'terms') ? [...termParameters(terms), one] : [one]))
  return { ...item, get: { ...get, parameters } }
}

function termParameters(terms: readonly string[]): Parameter[] {
  return terms.map((name) => ({
    name,
    in: 'query',
    description: 'Ids of terms; commas mean any, and descendants are meant too.',
    schema: { type: 'string' },
  }))
}
