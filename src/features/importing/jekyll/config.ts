import { dirname, join } from 'node:path'
import { listedBy } from '#lib/files/lists.ts'
import type { Fields, Json } from '#lib/json.ts'
import { dataOfFile, isFile, isFolder, objectOf, objectsOf, textOf, textsOf, unreadable } from '../folder.ts'
import type { ImportProblem } from '../item.ts'

const FILES = ['_config.yml', '_config.yaml', '_config.toml']
/** Files that Jekyll leaves out by itself. */
const EXCLUDED = ['Gemfile', 'Gemfile.lock', 'node_modules', 'vendor', '_site', '.sass-cache', '.jekyll-cache', 'gemfiles']

/** Names that Jekyll passes over: of editors, and of copies that they keep. */
const UNREAD = /(?:^|\/)[#~]|~$/

/** A collection of Jekyll. */
export interface Collection {
  readonly name: string
  readonly hasPages: boolean
  readonly permalink: string | undefined
}

/** The configuration of a site of Jekyll, as far as it bears on content. */
export interface JekyllConfig {
  readonly data: Readonly<Fields>
  readonly collections: readonly Collection[]
  /** The folder of the collections, with `/` at its end; '' for the site's own. */
  readonly folder: string
  readonly permalink: string
  isLeftOut(path: string): boolean
  /** The values that defaults give to a file, of pages, posts, drafts or a collection. */
  defaultsFor(path: string, type: string): Fields
}

/**
 * Reads the configuration of the site in a folder; that of Jekyll itself where there are posts, and no configuration here or above.
 * Undefined where no site is. Throws InvalidInput where it can't be read: what it hides would be public.
 */
export async function readConfig(root: string): Promise<JekyllConfig | undefined> {
  const name = await nameIn(root)
  if (name === undefined && (!(await isFolder(join(root, '_posts'))) || (await isBelowSite(root)))) return undefined
  const found = name === undefined ? {} : ((await dataOfFile(join(root, name), name)) ?? {})
  if ('problem' in found) throw unreadable(found.problem as ImportProblem)
  const data: Fields = found
  const listed = listedBy([...EXCLUDED, ...textsOf(data.exclude)], 'names')
  const folder = textOf(data.collections_dir)?.replace(/^\/+|\/+$/g, '')
  return {
    data,
    collections: collectionsOf(data.collections),
    folder: folder === undefined ? '' : `${folder}/`,
    permalink: textOf(data.permalink) ?? 'date',
    isLeftOut: (path) => UNREAD.test(path) || listed?.(path) === true,
    defaultsFor: (path, type) => defaultsFor(objectsOf(data.defaults), path, type),
  }
}

async function nameIn(root: string): Promise<string | undefined> {
  const names = await Promise.all(FILES.map(async (name) => ((await isFile(join(root, name))) ? name : undefined)))
  return names.find((one) => one !== undefined)
}

/** A folder of texts alone: what hides some of them is above it. */
async function isBelowSite(root: string): Promise<boolean> {
  for (let folder = root; dirname(folder) !== folder; folder = dirname(folder))
    if ((await nameIn(dirname(folder))) !== undefined) return true
  return false
}

function collectionsOf(value: Json | undefined): Collection[] {
  const entries: [string, Json][] = Array.isArray(value)
    ? textsOf(value).map((name) => [name, {}])
    : Object.entries(objectOf(value))
  return entries
    .filter(([name]) => name !== 'posts' && name !== 'drafts')
    .map(([name, said]) => {
      const { output, permalink } = objectOf(said)
      return { name, hasPages: output === true, permalink: textOf(permalink) }
    })
}

function defaultsFor(defaults: readonly Fields[], path: string, type: string): Fields {
  const found: Fields = {}
  for (const { scope, values } of defaults) {
    const { path: below, type: of } = objectOf(scope)
    const folder = (textOf(below) ?? '').replace(/^\/+|\/+$/g, '')
    const isWithin = folder.includes('*')
      ? listedBy([folder], 'paths')?.(path) === true
      : folder === '' || path === folder || path.startsWith(`${folder}/`)
    if (isWithin && (textOf(of) === undefined || of === type)) Object.assign(found, objectOf(values))
  }
  return found
}
