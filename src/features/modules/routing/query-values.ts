/** The part of a JSON Schema that says of what type a parameter is. */
interface Typed {
  readonly properties?: Readonly<Record<string, { readonly type?: unknown }>>
}

const INTEGER = /^-?(?:0|[1-9]\d{0,14})$/
const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/

/** Returns the parameters of a query in the types that a schema has them: only what is written as JSON writes it is another than text. */
export function valuesOf(schema: object, query: Readonly<Record<string, string>>): Record<string, string | number | boolean> {
  const { properties = {} } = schema as Typed
  const typeOf = (name: string) => (Object.hasOwn(properties, name) ? properties[name]?.type : undefined)
  return Object.fromEntries(Object.entries(query).map(([name, text]) => [name, valueIn(typeOf(name), text)]))
}

function valueIn(type: unknown, text: string): string | number | boolean {
  if (type === 'integer' && INTEGER.test(text)) return Number(text)
  if (type === 'number' && NUMBER.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}
