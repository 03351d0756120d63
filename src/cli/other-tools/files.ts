import { readFile, stat } from 'node:fs/promises'
import { isObject } from '#frontmatter/changes.ts'
import { readToml } from '#frontmatter/toml/toml.ts'
import { readYaml } from '#frontmatter/yaml/yaml.ts'
import type { Fields, Json } from '#lib/json.ts'

/** A file of another tool that is larger is not looked at. */
const MOST_BYTES = 1024 * 1024

/** Reads a file of another tool; '' where it is not there, can't be read, or is very large. */
export async function textOf(path: string): Promise<string> {
  const size = await stat(path).then(
    (found) => (found.isFile() ? found.size : 0),
    () => 0,
  )
  return size === 0 || size > MOST_BYTES ? '' : readFile(path, 'utf8').catch(() => '')
}

/** Reads the data of a YAML, TOML or JSON file, by its name; none where it can't be read. */
export async function dataOf(path: string): Promise<Fields> {
  return parsed(path, await textOf(path)) ?? {}
}

/** As `dataOf`, of a YAML file that has what we can't read (tags, say) the parts with these keys. */
export async function configOf(path: string, keys: readonly string[]): Promise<Fields> {
  const text = await textOf(path)
  const whole = parsed(path, text)
  if (whole || !/\.ya?ml$/.test(path)) return whole ?? {}
  return Object.assign({}, ...keys.map((key) => parsed(path, partOf(text, key)) ?? {}))
}

/** Returns the objects of a list, or of what stands for a list of one. */
export function objectsOf(value: Json | undefined): Fields[] {
  return [value ?? []].flat().filter(isObject)
}

/** Returns the texts of a list, or of what stands for a list of one. */
export function textsOf(value: Json | undefined): string[] {
  return [value ?? []].flat().filter((one) => typeof one === 'string')
}

function parsed(path: string, text: string): Fields | undefined {
  if (text === '') return {}
  try {
    if (!path.endsWith('.json')) return path.endsWith('.toml') ? readToml(text) : readYaml(text)
    const data: Json = JSON.parse(text)
    return isObject(data) ? data : {}
  } catch {
    return undefined
  }
}

/** The lines of a key at the top of a YAML file. */
function partOf(text: string, key: string): string {
  const lines = text.split(/\r?\n/)
  const start = lines.findIndex((line) => line.startsWith(`${key}:`))
  if (start < 0) return ''
  const length = lines.slice(start + 1).findIndex((line) => /^[^\s#-]/.test(line))
  return lines.slice(start, length < 0 ? undefined : start + 1 + length).join('\n')
}
