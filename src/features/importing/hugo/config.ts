import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { yesOrNo } from '#frontmatter/other-tools.ts'
import { leadsOut } from '#lib/files/leads-out.ts'
import { listedBy } from '#lib/files/lists.ts'
import type { Fields } from '#lib/json.ts'
import { dataOfFile, isFolder, objectOf, objectsOf, textOf, textsOf } from '../folder.ts'
import type { ImportProblem } from '../item.ts'

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
  isLeftOut(path: string): boolean
}

/** The configuration of a site of Hugo, as far as it bears on content. */
export interface HugoConfig {
  readonly data: Readonly<Fields>
  readonly content: readonly ContentFolder[]
  /** Folders whose files have addresses from the site's root; absolute. */
  readonly statics: readonly string[]
  /** That of these which holds what Hugo makes styles and scripts of. */
  readonly assets: string
  readonly problems: readonly ImportProblem[]
}

/** Reads the configuration of the site in a folder: one file, or those of `config/_default`. */
export async function readConfig(root: string): Promise<HugoConfig> {
  const problems: ImportProblem[] = []
  const data: Fields = {}
  const take = async (path: string, under?: string) => {
    const found = await dataOfFile(join(root, path), path)
    if (found && 'problem' in found) problems.push(found.problem as ImportProblem)
    else if (found) Object.assign(data, under === undefined ? lowerKeys(found) : { [under]: found })
  }
  for (const name of [...NAMES].reverse()) await take(name)
  const folder = 'config/_default'
  const names = (await readdir(join(root, folder)).catch((): string[] => [])).filter((name) =>
    /\.(?:toml|ya?ml|json)$/.test(name),
  )
  for (const name of names.sort()) {
    const stem = name.slice(0, name.lastIndexOf('.')).toLowerCase()
    await take(`${folder}/${name}`, stem === 'hugo' || stem === 'config' ? undefined : stem)
  }
  const assets = join(root, textOf(data.assetdir) ?? 'assets')
  return { data, problems, assets, content: await contentFolders(root, data), statics: await staticFolders(root, data) }
}

/** Hugo takes the keys of its settings in any case. */
function lowerKeys(data: Readonly<Fields>): Fields {
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key.toLowerCase(), value]))
}

async function contentFolders(root: string, data: Readonly<Fields>): Promise<ContentFolder[]> {
  const ignored = listedBy(textsOf(data.ignorefiles), 'regular')
  const found: ContentFolder[] = []
  const isOff = switchedOff(data)
  const add = (shown: string, language: string, excluded: readonly string[] = []) => {
    const path = join(root, shown)
    const isExcluded = listedBy(excluded, 'paths')
    const isLeftOut = (one: string) =>
      ignored?.(`${shown}/${one}`) === true || isExcluded?.(one) === true || isOff.file(`${shown}/${one}`)
    if (leadsOut(root, shown) || isOff.language(language)) return
    if (!found.some(({ root }) => root === path)) found.push({ root: path, shown, language, isLeftOut })
  }
  const first = textOf(data.defaultcontentlanguage) ?? 'en'
  const languages = Object.entries(objectOf(data.languages)).sort(([a], [b]) => Number(b === first) - Number(a === first))
  for (const { source, target, lang, excludeFiles } of objectsOf(objectOf(data.module).mounts)) {
    if (typeof source !== 'string' || !/^content(?:\/|$)/.test(String(target)) || !isWithin(source)) continue
    add(source, typeof lang === 'string' && lang !== first ? lang : '', textsOf(excludeFiles))
  }
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

async function staticFolders(root: string, data: Readonly<Fields>): Promise<string[]> {
  const names = textsOf(data.staticdir)
  const all = [...(names.length > 0 ? names : ['static']), textOf(data.assetdir) ?? 'assets'].filter(
    (name) => isWithin(name) && !leadsOut(root, name),
  )
  const there = await Promise.all(all.map((name) => isFolder(join(root, name))))
  return all.filter((_, n) => there[n]).map((name) => join(root, name))
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

/** Returns whether a path leads no higher than where it starts. */
function isWithin(path: string): boolean {
  return !path.startsWith('/') && !path.split('/').includes('..')
}
