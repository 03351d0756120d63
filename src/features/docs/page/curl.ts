import { sample } from '#http/openapi/sample.ts'
import type { OperationObject, Parameter, Ref } from '#http/openapi/shapes.ts'

/** The operation as a command that can be pasted into a terminal, the token in `$TOKEN`. */
export function curlOf(server: string, path: string, method: string, operation: OperationObject): string {
  const words = [
    ...(method === 'get' ? [] : [`-X ${method.toUpperCase()}`]),
    quoted(`${server}${filled(path, operation)}${queryOf(operation)}`),
    ...(operation.security.length > 0 ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...bodyOf(operation),
  ]
  return `curl ${words.join(' \\\n  ')}`
}

/** A path with an example in the place of each parameter. */
function filled(path: string, { parameters = [] }: OperationObject): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.find((one) => isParameter(one) && one.in === 'path' && one.name === name)
    return encodeURIComponent(String(parameter && isParameter(parameter) ? sample(parameter.schema) : name))
  })
}

function queryOf({ parameters = [] }: OperationObject): string {
  const needed = parameters.filter(isParameter).filter((one) => one.in === 'query' && one.required)
  const parts = needed.map(({ name, schema }) => `${name}=${encodeURIComponent(String(sample(schema)))}`)
  return parts.length > 0 ? `?${parts.join('&')}` : ''
}

function bodyOf({ requestBody }: OperationObject): string[] {
  const json = requestBody?.content['application/json']
  if (!json) return []
  return ['-H "Content-Type: application/json"', `-d ${quoted(JSON.stringify(json.example ?? {}))}`]
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function isParameter(one: Parameter | Ref): one is Parameter {
  return 'name' in one
}
