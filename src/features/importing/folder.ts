import { lstat, readdir, readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isObject } from '#frontmatter/changes.ts'
import { MAX_FILE_BYTES } from '#frontmatter/fault.ts'
import { readToml } from '#frontmatter/toml/toml.ts'
import { readYaml } from '#frontmatter/yaml/yaml.ts'
import { append } from '#lib/append.ts'
import { InvalidInput, NotFound } from '#lib/errors.ts'
import type { Fields, Json } from '#lib/json.ts'
import { compareText } from '#lib/text/compare.ts'
import type { ImportProblem } from './item.ts'

/** Folders of programs, which hold nothing that people wrote. */
const PROGRAMS: ReadonlySet<string> = new Set(['node_modules', 'vendor', '__MACOSX'])

/** Throws NotFound where a folder is not there, and InvalidInput where it is none. */
export async function mustBeFolder(path: string): Promise<void> {
  if (await isFolder(path)) return
  if (await isFile(path)) throw new InvalidInput({ path: [`${path} is a file; this source is a folder.`] })
  throw new NotFound(`The folder ${path} is not there.`, 'Check the path.')
}

/** Returns whether there is a folder at a path. */
export async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

/** Returns whether there is a file at a path. */
export async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  )
}

/** Returns whether a folder, or one that it is in, is so. */
export async function isBelow(root: string, isSo: (folder: string) => Promise<boolean>): Promise<boolean> {
  if (await isSo(root)) return true
  return dirname(root) !== root && isBelow(dirname(root), isSo)
}

/**
 * The files below a folder, by their paths with `/`, in an order that is the same everywhere. Links are not followed, and folders
 * of programs and those whose names begin with a dot are passed over, as are files and folders that `skips` names.
 */
export async function* filesBelow(
  root: string,
  skips: (path: string, isFolder: boolean) => boolean = () => false,
): AsyncGenerator<string> {
  const open: string[] = ['']
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    const entries = (await readdir(join(root, folder), { withFileTypes: true }).catch(() => [])).sort((a, b) =>
      compareText(a.name, b.name),
    )
    const folders: string[] = []
    for (const entry of entries) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.name.startsWith('.') || skips(path, entry.isDirectory())) continue
      if (entry.isFile()) yield path
      else if (entry.isDirectory() && !PROGRAMS.has(entry.name)) folders.push(path)
    }
    append(open, folders.reverse())
  }
}

/** Reads a file of an export; a problem where it is larger than a record can be, or can't be read. */
export async function bytesOfFile(path: string, shown: string): Promise<Buffer | ImportProblem> {
  try {
    const { size } = await lstat(path)
    if (size <= MAX_FILE_BYTES) return await readFile(path)
    return {
      file: shown,
      message: 'The file is larger than 2 MiB, which is the most that a record may have.',
      hint: 'Divide it.',
    }
  } catch (error) {
    return { file: shown, message: `The file can't be read: ${error instanceof Error ? error.message : String(error)}.` }
  }
}

/** Reads the data of a YAML, TOML or JSON file by its name; a problem where it can't be read, nothing where it is not there. */
export async function dataOfFile(path: string, shown: string): Promise<Fields | { problem: ImportProblem } | undefined> {
  if (!(await isFile(path))) return undefined
  const bytes = await bytesOfFile(path, shown)
  if (!Buffer.isBuffer(bytes)) return { problem: bytes }
  return parsedData(bytes.toString(), shown)
}

/** Matches YAML that is a list. */
const LIST = /^(?:[ \t]*(?:#[^\n]*)?\r?\n)*-[ \t]/

/** Parses the data of a file by its name. What is no mapping at its top is under `items`. */
export function parsedData(whole: string, shown: string): Fields | { problem: ImportProblem } {
  const text = whole.replace(/^\ufeff/, '')
  try {
    if (shown.endsWith('.toml')) return readToml(text)
    if (!shown.endsWith('.json')) return readYaml(LIST.test(text) ? `items:\n${text}` : text)
    const data: Json = JSON.parse(text)
    return isObject(data) ? data : { items: data }
  } catch (error) {
    const message = `The file can't be read: ${error instanceof Error ? error.message : String(error)}`
    return { problem: { file: shown, message, hint: 'Correct it there, then import again.' } }
  }
}

/** Returns the error of a configuration that can't be read. */
export function unreadable({ file, message, hint = '' }: ImportProblem): InvalidInput {
  return new InvalidInput({ path: [`${file}: ${message} What it hides would be public. ${hint}`.trim()] })
}

/** Returns the objects of a list, or of what stands for a list of one. */
export function objectsOf(value: Json | undefined): Fields[] {
  return [value ?? []].flat().filter(isObject)
}

/** Returns the texts of a list, or of what stands for a list of one. */
export function textsOf(value: Json | undefined): string[] {
  return [value ?? []].flat().filter((one) => typeof one === 'string')
}

/** Returns a value that is an object; else none of its keys. */
export function objectOf(value: Json | undefined): Fields {
  return isObject(value) ? value : {}
}

/** Returns an object with its keys in small letters, for tools that take them in any. */
export function lowerKeys(data: Readonly<Fields>): Fields {
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key.toLowerCase(), value]))
}

/** Returns a value that is a text and not empty. */
export function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}
