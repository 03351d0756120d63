import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Problem } from '#core/document.ts'
import { listedBy } from '#lib/files/lists.ts'
import type { Fields, Json } from '#lib/json.ts'
import { counted } from '#lib/text/counted.ts'
import type { Quire } from '../open/site.ts'
import { leftOutInCode, listInCode } from './code-lists.ts'
import { leftOutByDendron } from './dendron.ts'
import { CONFIG_FOLDERS, LISTS, type List, OF_ELEVENTY, PROGRAMS, VITEPRESS } from './exclusion-lists.ts'
import { configOf, objectsOf, textOf, textsOf } from './files.ts'
import { leftOutByLanguage } from './hugo-languages.ts'
import { shownFiles } from './shown-files.ts'

/** Returns whether a file is left out, by its path from the folder of content or from the root of the site. */
type Matcher = (path: string) => boolean

/** A file of another tool: the folder it is in and its name there. */
interface ToolFile {
  readonly folder: string
  readonly name: string
  readonly isOfEleventy: boolean
}

const ELEVENTY = /^(?:\.eleventy\.\w+|\.eleventyignore|eleventy\.config\.\w+)$/
const HUGO = /^(?:hugo|config|languages)\.(?:toml|ya?ml|json)$/

/** Names the lists by which other tools leave files out that are records here. Of sites in files. */
export async function exclusionProblems(site: Quire): Promise<Problem[]> {
  if (!site.isInFiles) return []
  const { content } = site.config.site
  const problems: Problem[] = []
  let shown: readonly string[] | undefined
  for (const file of await toolFilesOf(site)) {
    const path = join(site.root, file.folder, file.name)
    const [matchers, programs] = [await matchersOf(path, file), await programsOf(path, file.name)]
    if (matchers.length + programs.length === 0) continue
    shown ??= await shownFiles(site)
    const leftOut = shown.filter((one) => {
      const below = one.startsWith(`${content}/`) ? one.slice(content.length + 1) : one
      const isListed = (isIn: Matcher) => isIn(below) || (below !== one && isIn(one))
      return matchers.some(isListed) || programs.some((isIn) => endsOf(one).some(isIn))
    })
    problems.push(...problem(join(file.folder, file.name), leftOut))
  }
  return problems
}

function problem(file: string, [first, ...others]: readonly string[]): Problem[] {
  if (first === undefined) return []
  const which = `${first}${others.length === 0 ? '' : ` and ${counted(others.length, 'other')}`}`
  const message = `What is listed here to be left out is not: ${which}.`
  const hint = 'Say draft: true in each of them, or take them out of the content.'
  return [{ file: file.replaceAll('\\', '/'), message, hint, severity: 'warning' }]
}

/** A program may mean its paths from any folder: the ends of a path that begin with a name. */
function endsOf(path: string): string[] {
  const names = path.split('/')
  return names.map((_, at) => names.slice(at).join('/'))
}

/** The files in which configurations may be: in the site's root, its content, and where tools have theirs. */
async function toolFilesOf({ root, config }: Quire): Promise<ToolFile[]> {
  const { content } = config.site
  const files: ToolFile[] = []
  const inConfig = (await namesIn(join(root, 'config'))).map((name) => `config/${name}`)
  for (const folder of new Set(['', content, ...inConfig])) {
    const names = await namesIn(join(root, folder))
    const below = folder === '' || folder === content ? await namesBelow(join(root, folder)) : []
    const isOfEleventy = names.some((name) => ELEVENTY.test(name))
    files.push(...[...names, ...below].map((name) => ({ folder, name, isOfEleventy })))
  }
  return files
}

async function namesBelow(folder: string): Promise<string[]> {
  const found = await Promise.all(
    CONFIG_FOLDERS.map(async (inner) => (await namesIn(join(folder, inner))).map((name) => `${inner}/${name}`)),
  )
  return found.flat()
}

function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => [])
}

async function matchersOf(path: string, { name, isOfEleventy }: ToolFile): Promise<Matcher[]> {
  const lists = [...LISTS, ...(isOfEleventy ? OF_ELEVENTY : [])].flatMap(([file, lists]) => (file.test(name) ? lists : []))
  const matchers = (await Promise.all(lists.map((list) => matcherOf(path, list)))).flat()
  if (HUGO.test(name)) matchers.push(...(await leftOutByLanguage(path, name)))
  return name === 'dendron.yml' ? [...matchers, ...(await leftOutByDendron(path))] : matchers
}

async function programsOf(path: string, name: string): Promise<Matcher[]> {
  if (VITEPRESS.test(name)) return matching(listInCode(await textOf(path), 'srcExclude'), { style: 'paths' })
  const isProgram = PROGRAMS.test(name.replace(/^.*\//, ''))
  return isProgram ? matching(leftOutInCode(await textOf(path)), { style: 'paths' }) : []
}

/** Returns how files match a list in a file. */
async function matcherOf(path: string, list: List): Promise<Matcher[]> {
  const { keys, isInCode, isTakenBack, style } = list
  const [key = '', ...inner] = keys ?? []
  if (!keys) return matching(linesOf(await textOf(path)), list)
  if (isInCode) return matching(listInCode(await textOf(path), key), list)
  const texts = textsOf(valueAt(await configOf(path, [key]), [key, ...inner]))
  // A text of MkDocs has an entry on each line.
  const entries = style === 'ignore' ? texts.flatMap(linesOf) : texts
  return matching(isTakenBack ? entries.flatMap((entry) => /^!\s*(.*)$/.exec(entry)?.[1] ?? []) : entries, list)
}

function matching(entries: string[], { style, isOfShown }: List): Matcher[] {
  const isListed = listedBy(entries, style)
  if (!isListed) return []
  return [isOfShown ? (path) => !isListed(path) : isListed]
}

/** Returns the values that keys lead to through objects, and through all objects of a list. */
function valueAt(data: Fields, keys: readonly string[]): Json {
  return keys.reduce<Json>((value, key) => objectsOf(value).flatMap((one) => one[key] ?? []), [data])
}

function linesOf(text: string): string[] {
  return text.split(/\r?\n/).flatMap((line) => (line.trim() === '' || line.startsWith('#') ? [] : [line.trim()]))
}
