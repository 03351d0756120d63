import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isObject } from '#frontmatter/changes.ts'
import { yesOrNo } from '#frontmatter/other-tools.ts'
import { leadsOut } from '#lib/files/leads-out.ts'
import { listedBy } from '#lib/files/lists.ts'
import type { Fields, Json } from '#lib/json.ts'
import { dataOfFile, isFolder, lowerKeys, objectOf, textOf, textsOf, unreadable } from '../folder.ts'
import type { ImportProblem } from '../item.ts'
import { type FilesFolder, filesFolders, isWithin, type Mount, mountsOf } from './mounts.ts'

const ENDINGS = ['toml', 'yaml', 'yml', 'json']
const NAMES = ['hugo', 'config'].flatMap((name) => ENDINGS.map((ending) => `${name}.${ending}`))

/** A folder of content, and what of it Hugo leaves out. */
export interface ContentFolder {
  /** Absolute. */
  readonly root: string
  /** From the site's folder, for people: `content/en`. */
  readonly shown: string
  /** The folder that its files come to be in, below that of their type: a language that is not the first. */
  readonly language: string
  isLeftOut(path: string, isFolder: boolean): boolean
}

/** The configuration of a site of Hugo, as far as it bears on content. */
export interface HugoConfig {
  readonly data: Readonly<Fields>
  /** The values that it gives to pages, of all languages. */
  readonly cascade: Json
  readonly content: readonly ContentFolder[]
  readonly statics: readonly FilesFolder[]
}

/** Folders of configurations: of a site that is made for the public, the second as well. */
const FOLDERS = ['config/_default', 'config/production']
/** Settings that hide: those of one file are not undone by another. */
const GATHERED: ReadonlySet<string> = new Set(['ignorefiles', 'cascade', 'disablelanguages'])

/**
 * Reads the configuration of the site in a folder: one file, or those of `config/_default` and `config/production`. Throws
 * InvalidInput where one can't be read: what it hides would be public.
 */
export async function readConfig(root: string): Promise<HugoConfig> {
  const problems: ImportProblem[] = []
  const data: Fields = {}
  const take = async (path: string, under?: string) => {
    const found = await dataOfFile(join(root, path), path)
    if (found && 'problem' in found) problems.push(found.problem as ImportProblem)
    else if (found)
      merge(data, under === undefined ? lowerKeys(found) : { [under]: under === 'cascade' ? cascadeIn(found) : found })
  }
  for (const name of [...NAMES].reverse()) await take(name)
  for (const folder of FOLDERS) {
    const names = (await readdir(join(root, folder)).catch((): string[] => [])).filter((name) =>
      /\.(?:toml|ya?ml|json)$/.test(name),
    )
    for (const name of names.sort()) {
      const stem = name.slice(0, name.lastIndexOf('.')).toLowerCase()
      await take(`${folder}/${name}`, stem === 'hugo' || stem === 'config' ? undefined : stem)
    }
  }
  const [problem] = problems
  if (problem) throw unreadable(problem)
  const cascade = [data, ...Object.values(objectOf(data.languages))].flatMap((said) => lowerKeys(objectOf(said)).cascade ?? [])
  return { data, cascade, content: await contentFolders(root, data), statics: await filesFolders(root, data) }
}

function merge(into: Fields, from: Readonly<Fields>): void {
  for (const [key, value] of Object.entries(from)) {
    const there = into[key]
    if (there !== undefined && GATHERED.has(key)) into[key] = [there, value].flat()
    else if (isObject(there) && isObject(value)) merge(there, value)
    else into[key] = value
  }
}

/** A file of its own has a list under `items`, or under the name that it has. */
function cascadeIn(found: Readonly<Fields>): Json {
  return found.items ?? lowerKeys(found).cascade ?? found
}

async function contentFolders(root: string, data: Readonly<Fields>): Promise<ContentFolder[]> {
  const ignored = listedBy(textsOf(data.ignorefiles), 'regular')
  const found: ContentFolder[] = []
  const isOff = switchedOff(data)
  const add = (shown: string, language: string, isOutside: Mount['isLeftOut'] = () => false) => {
    const path = join(root, shown)
    const isLeftOut = (one: string, isFolder: boolean) =>
      ignored?.(`${shown}/${one}`) === true || isOutside(one, isFolder) || isOff.file(`${shown}/${one}`)
    if (leadsOut(root, shown) || isOff.language(language)) return
    if (!found.some(({ root }) => root === path)) found.push({ root: path, shown, language, isLeftOut })
  }
  const first = textOf(data.defaultcontentlanguage) ?? 'en'
  const languages = Object.entries(objectOf(data.languages)).sort(([a], [b]) => Number(b === first) - Number(a === first))
  for (const { source, target, language = first, isLeftOut } of mountsOf(data))
    if (/^content(?:\/|$)/.test(target)) add(source, language === first ? '' : language, isLeftOut)
  for (const [name, language] of languages) {
    const { contentDir, contentdir } = objectOf(language)
    const folder = textOf(contentDir ?? contentdir)
    if (folder !== undefined && isWithin(folder)) add(folder, name === first ? '' : name)
  }
  const main = textOf(data.contentdir) ?? 'content'
  if (found.length === 0 && isWithin(main)) add(main, '')
  const there = await Promise.all(found.map(({ root }) => isFolder(root)))
  return found.filter((_, n) => there[n])
}

/** Tells what is of languages that the site is not made in: these, and files by their paths from the site's folder. */
function switchedOff(data: Readonly<Fields>) {
  const languages = Object.entries(objectOf(data.languages)).map(([name, said]) => ({ name, said: lowerKeys(objectOf(said)) }))
  const off = new Set([
    ...textsOf(data.disablelanguages),
    ...languages.flatMap(({ name, said }) => (yesOrNo(said.disabled) === true ? [name] : [])),
  ])
  const folders = languages.flatMap(({ name, said }) => (off.has(name) ? (textOf(said.contentdir) ?? []) : []))
  return {
    language: (name: string) => off.has(name),
    file: (path: string) =>
      folders.some((folder) => path.startsWith(`${folder.replace(/\/+$/, '')}/`)) ||
      off.has(/\.([\w-]+)\.[^./]+$/.exec(path)?.[1] ?? ''),
  }
}
