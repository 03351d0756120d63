import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Problem } from '#core/document.ts'
import { listedBy, type Style } from '#lib/files/lists.ts'
import type { Json } from '#lib/json.ts'
import { counted } from '#lib/text/counted.ts'
import type { Quire } from '../open/site.ts'
import { configOf, objectsOf, textOf, textsOf } from './files.ts'
import { shownFiles } from './shown-files.ts'

/** A list by which a tool leaves files out: the key of it in a configuration, or the file that is one. */
interface List {
  readonly style: Style
  /** Absent where each line of the file is an entry. */
  readonly key?: string
  /** True for a list in the code of a program. */
  readonly isInCode?: true
}

const YAML_CONFIG = ['_config.yml', '_config.yaml', '_config.toml']
const MKDOCS = ['mkdocs.yml', 'mkdocs.yaml']
const HUGO = ['hugo', 'config'].flatMap((name) => ['toml', 'yaml', 'yml', 'json'].map((ending) => `${name}.${ending}`))
const VITEPRESS = ['js', 'mjs', 'ts', 'mts'].map((ending) => `.vitepress/config.${ending}`)
const ELEVENTY = /^(?:\.eleventy\.\w+|\.eleventyignore|eleventy\.config\.\w+)$/

/** Lists of tools by the names of the files that they stand in. */
const LISTS: readonly (readonly [files: readonly string[], lists: readonly List[]])[] = [
  [
    // Jekyll, Hexo, Jupyter Book.
    YAML_CONFIG,
    [
      { style: 'names', key: 'exclude' },
      { style: 'paths', key: 'ignore' },
      { style: 'paths', key: 'exclude_patterns' },
    ],
  ],
  [
    MKDOCS,
    [
      { style: 'ignore', key: 'exclude_docs' },
      { style: 'ignore', key: 'draft_docs' },
    ],
  ],
  // Hugo, and Zola.
  [
    HUGO,
    [
      { style: 'regular', key: 'ignoreFiles' },
      { style: 'paths', key: 'ignored_content' },
    ],
  ],
  [['zola.toml'], [{ style: 'paths', key: 'ignored_content' }]],
  [['.eleventyignore'], [{ style: 'paths' }]],
  [['.bookignore'], [{ style: 'ignore' }]],
  [
    ['pelicanconf.py'],
    ['ARTICLE_EXCLUDES', 'PAGE_EXCLUDES', 'IGNORE_FILES'].map((key) => ({ style: 'ignore', key, isInCode: true })),
  ],
  [['conf.py'], [{ style: 'paths', key: 'exclude_patterns', isInCode: true }]],
  [VITEPRESS, [{ style: 'paths', key: 'srcExclude', isInCode: true }]],
  [['quartz.config.ts'], [{ style: 'ignore', key: 'ignorePatterns', isInCode: true }]],
  // Obsidian Publish.
  [['.obsidian/publish.json'], [{ style: 'paths', key: 'excluded' }]],
]
/** Number of characters of code that are read. */
const MOST_CODE = 64 * 1024
/** Eleventy leaves out what git does. */
const OF_ELEVENTY = [[['.gitignore'], [{ style: 'paths' }]]] as const

/** Names the lists by which other tools leave files out that are records here. Of sites in files. */
export async function exclusionProblems(site: Quire): Promise<Problem[]> {
  if (!site.isInFiles) return []
  const { content } = site.config.site
  const problems: Problem[] = []
  let shown: readonly string[] | undefined
  for (const [folder, names] of await foldersOf(site)) {
    const isEleventy = [...names].some((name) => ELEVENTY.test(name))
    for (const [files, lists] of isEleventy ? [...LISTS, ...OF_ELEVENTY] : LISTS) {
      for (const name of files.filter((one) => names.has(one.split('/')[0] ?? ''))) {
        const isListed = matcherOf(await entriesIn(join(site.root, folder, name), lists), content)
        if (!isListed) continue
        shown ??= await shownFiles(site)
        problems.push(...problem(join(folder, name), shown.filter(isListed)))
      }
    }
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

/** The folders in which configurations may be, with the names in each: the site's root, its content, and those of Hugo's. */
async function foldersOf({ root, config }: Quire): Promise<Map<string, ReadonlySet<string>>> {
  const folders = new Map<string, ReadonlySet<string>>()
  const inConfig = (await namesIn(join(root, 'config'))).map((name) => `config/${name}`)
  for (const folder of ['', config.site.content, ...inConfig]) folders.set(folder, new Set(await namesIn(join(root, folder))))
  return folders
}

function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => [])
}

/** The entries of each list in a file, and how they are meant. */
async function entriesIn(path: string, lists: readonly List[]): Promise<[entries: string[], style: Style][]> {
  const keys = lists.flatMap(({ key }) => key ?? [])
  const isInCode = lists.some((list) => list.isInCode)
  const text = isInCode || keys.length === 0 ? await textOf(path) : ''
  const data = text === '' ? await configOf(path, keys) : {}
  const found = lists.map(({ key, style }): [string[], Style] => {
    if (key === undefined) return [linesOf(text), style]
    return [isInCode ? listInCode(text, key) : entriesOf(data[key], style), style]
  })
  // Hugo leaves files out of what it mounts, too.
  const mounts = data.module === undefined ? [] : objectsOf(data.module).flatMap(({ mounts }) => objectsOf(mounts))
  return [...found, [mounts.flatMap(({ excludeFiles }) => textsOf(excludeFiles)), 'paths']]
}

/** A list; a text of MkDocs with an entry on each line. */
function entriesOf(value: Json | undefined, style: Style): string[] {
  return style === 'ignore' ? textsOf(value).flatMap(linesOf) : textsOf(value)
}

function linesOf(text: string): string[] {
  return text.split(/\r?\n/).flatMap((line) => (line.trim() === '' || line.startsWith('#') ? [] : [line.trim()]))
}

/** The texts of a list that is written out in Python or JavaScript. */
function listInCode(text: string, key: string): string[] {
  const pattern = new RegExp(`^[ \\t]*${key}[ \\t]*[:=][ \\t]*\\[([^\\]]{0,5000})\\]`, 'm')
  const written = pattern.exec(text.slice(0, MOST_CODE))?.[1] ?? ''
  return [...written.matchAll(/'([^'\n]*)'|"([^"\n]*)"/g)].map(([, one, other]) => one ?? other ?? '')
}

/** Paths may be meant from the root of the site and from its content. */
function matcherOf(
  lists: readonly [entries: string[], style: Style][],
  content: string,
): ((file: string) => boolean) | undefined {
  const all = lists.flatMap(([entries, style]) => listedBy(entries, style) ?? [])
  if (all.length === 0) return undefined
  const below = (file: string) => (file.startsWith(`${content}/`) ? file.slice(content.length + 1) : file)
  return (file) => all.some((isListed) => isListed(file) || isListed(below(file)))
}
