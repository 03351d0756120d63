import { stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Problem } from '#core/document.ts'
import { hidingKeys } from '#frontmatter/hiding-words.ts'
import { readFrontMatter } from '#frontmatter/read.ts'
import { keysAt } from '#frontmatter/stray-keys.ts'
import type { Fields } from '#lib/json.ts'
import type { Quire } from '../open/site.ts'
import { bundleProblem } from './bundles.ts'
import { configOf, dataOf, objectsOf, textOf } from './files.ts'
import { shownFiles } from './shown-files.ts'

/** Hugo's, Jekyll's, Bridgetown's and Cobalt's, from the site's root. */
const CONFIGS = ['_config', 'hugo', 'config', 'bridgetown.config', '_cobalt'].flatMap((name) =>
  ['toml', 'yaml', 'yml', 'json'].map((ending) => `${name}.${ending}`),
)
/** Pelican's. */
const PYTHON = ['pelicanconf.py', 'publishconf.py']
const OF_HUGO = 'config/*/{hugo,config,cascade}.{toml,yaml,yml,json}'
/** Statamic's, each for the entries in the folder of its name. */
const COLLECTIONS = '**/collections/*.{yml,yaml}'
const IS_COLLECTION = /(?:^|\/)collections\/[^/]+\.ya?ml$/
/** Data for the files of a folder, of Eleventy, Quarto, Bridgetown, Lume and Material for MkDocs; of one file, of Nikola. */
const DATA = [
  ...['**/*.json', '**/*.11tydata.{js,cjs,mjs,ts}', '**/*.meta'],
  ...['**/_{metadata,defaults,data}.{yml,yaml}', '**/.meta.{yml,yaml}'],
  COLLECTIONS,
]
/** Pages of folders that are no records: Hugo reads their front matter all the same. */
const PAGES = ['**/{index,_index}.{html,htm}', '**/_index.*.{md,markdown}']
const RECORD_ENDINGS = ['.md', '.markdown', '.mdx']
/** A value in a program's code that plainly keeps files from the public. */
const SAID_IN_CODE =
  /\b(?:(draft|eleventyExcludeFromCollections|private)["']?\s*:\s*true|(published|publish|permalink)["']?\s*:\s*false)\b/

/**
 * Names what files of other tools say for many records at once to keep them from the public: it is not read. Of sites in files.
 */
export async function folderDataProblems(site: Quire): Promise<Problem[]> {
  if (!site.isInFiles) return []
  const { content } = site.config.site
  const now = site.clock.now()
  const problems: Problem[] = []
  for (const file of await found(DATA, join(site.root, content))) {
    const path = join(site.root, content, file)
    if (await speaksFor(path)) problems.push(...problem(`${content}/${file}`, await keysIn(path, now), 'the files it is for'))
  }
  for (const file of [...CONFIGS, ...PYTHON, ...(await found([OF_HUGO], site.root))]) {
    const keys = (await valuesIn(join(site.root, file))).flatMap((values) => hidingKeys(values, now))
    problems.push(...problem(file, keys, 'the files that its defaults are for'))
  }
  return [...problems, ...(await pageProblems(site))]
}

/** The pages of folders that are no records, and hide others. */
async function pageProblems(site: Quire): Promise<Problem[]> {
  const { content } = site.config.site
  const problems: Problem[] = []
  let shown: readonly string[] | undefined
  for (const name of await found(PAGES, join(site.root, content))) {
    const file = `${content}/${name}`
    const data = await frontMatterOf(join(site.root, file))
    const keys = objectsOf(data.cascade).flatMap((values) => hidingKeys(values, site.clock.now()))
    problems.push(...problem(file, keys, 'the files that its cascade is for'))
    if (!/(?:^|\/)index\./.test(file) || hidingKeys(data, site.clock.now()).length === 0) continue
    shown ??= await shownFiles(site)
    problems.push(...bundleProblem(file, shown))
  }
  return problems
}

async function found(patterns: string[], cwd: string): Promise<string[]> {
  const { default: glob } = await import('fast-glob')
  const options = { cwd, dot: true, followSymbolicLinks: false, ignore: ['**/node_modules/**', '**/.git/**'] }
  return (await glob(patterns, options).catch(() => [])).sort()
}

function problem(file: string, keys: readonly string[], which: string): Problem[] {
  if (keys.length === 0) return []
  const names = [...new Set(keys)].map((key) => `"${key}"`).join(', ')
  const message = `${names} ${names.includes(',') ? 'do' : 'does'} not keep ${which} from the public: this is not read.`
  return [{ file, message, hint: 'Say draft: true in each of them, or take them out of the content.', severity: 'warning' }]
}

/** Eleventy takes `posts/posts.json` for the folder, and `hello.json` for the file `hello.md`. */
async function speaksFor(path: string): Promise<boolean> {
  if (!/\.(?:json|meta)$/.test(path) || /\.11tydata\.\w+$/.test(path)) return true
  const name = path.replace(/\.\w+$/, '')
  if (basename(name) === basename(dirname(path)) || /^_(?:data|defaults)$/.test(basename(name))) return true
  const beside = await Promise.all(RECORD_ENDINGS.map((ending) => stat(name + ending).catch(() => undefined)))
  return beside.some((one) => one?.isFile())
}

async function keysIn(path: string, now: number): Promise<string[]> {
  if (IS_COLLECTION.test(path)) return keysOfCollection(await dataOf(path), now)
  if (/\.(?:json|ya?ml)$/.test(path)) return hidingKeys(await dataOf(path), now)
  if (path.endsWith('.meta')) {
    const { pairs } = keysAt(Buffer.from(await textOf(path)), 0)
    return pairs.flatMap(({ key, value }) => hidingKeys({ [key]: value }, now))
  }
  const [, yes, no] = SAID_IN_CODE.exec(await textOf(path)) ?? []
  return [yes ?? no ?? []].flat()
}

/** Names what a collection of Statamic's injects into its entries to hide them, and what it makes of those to come or over. */
function keysOfCollection({ inject, date_behavior }: Fields, now: number): string[] {
  const behaviors = objectsOf(date_behavior).flatMap((one) => Object.values(one))
  const isClosed = behaviors.some((one) => one === 'private' || one === 'unlisted' || one === 'hidden')
  return [...objectsOf(inject).flatMap((values) => hidingKeys(values, now)), ...(isClosed ? ['date_behavior'] : [])]
}

/** Returns the values that a configuration sets for many files: Jekyll's `defaults`, Hugo's `cascade`, Cobalt's and Pelican's. */
async function valuesIn(path: string): Promise<Fields[]> {
  if (/cascade\.\w+$/.test(path)) return [await dataOf(path)]
  if (path.endsWith('.py')) return valuesInCode(await textOf(path))
  const config = await configOf(path, ['defaults', 'cascade', 'default', 'posts', 'pages'])
  const own = [config, ...objectsOf(config.posts), ...objectsOf(config.pages)].flatMap((one) => objectsOf(one.default))
  return [...objectsOf(config.defaults).flatMap(({ values }) => objectsOf(values)), ...objectsOf(config.cascade), ...own]
}

/** The values that Pelican gives each text. */
function valuesInCode(code: string): Fields[] {
  const [, written = ''] = /^DEFAULT_METADATA\s*=\s*(?:dict\()?\{?([^}]{0,2000})/m.exec(code) ?? []
  const [, value] = /\bstatus["']?\s*[:=]\s*["'](\w+)["']/.exec(written) ?? []
  return value === undefined ? [] : [{ status: value }]
}

async function frontMatterOf(path: string): Promise<Fields> {
  const read = readFrontMatter(Buffer.from(await textOf(path)), { extension: 'md' })
  return 'fault' in read ? {} : read.data
}
