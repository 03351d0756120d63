import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Head, Problem } from '#core/document.ts'
import { isRecordName } from '#core/files/layout.ts'
import { isBundlePage } from '#features/importing/bundles.ts'
import { hidingKeys } from '#frontmatter/hiding-words.ts'
import { nameInQuire } from '#frontmatter/other-tools.ts'
import { counted } from '#lib/text/counted.ts'
import type { Quire } from '../open/site.ts'
import { configOf, objectsOf, textsOf } from './files.ts'
import { isShown, within } from './shown-files.ts'

const CONFIGS = ['', 'config/_default/', 'config/production/'].flatMap((folder) =>
  ['hugo', 'config', 'frontmatter'].flatMap((name) =>
    ['toml', 'yaml', 'yml', 'json'].map((ending) => `${folder}${name}.${ending}`),
  ),
)
/** Names of the configuration for the dates of a text, and Quire's. */
const DATES = [
  ['date', 'published_at'],
  ['publishDate', 'published_at'],
  ['expiryDate', 'expires_at'],
] as const

/** Keys of front matter that a site has for dates, each with what it says; whether it is one of Hugo's. */
interface Found {
  readonly isHugo: boolean
  readonly dates: readonly (readonly [key: string, means: string])[]
}

/**
 * Names what Hugo would not show of a site of its own: texts whose dates have names that only its configuration tells, and those
 * beside an `index.md`, which are parts of it and have no pages. Of sites in files.
 */
export async function hugoProblems(site: Quire): Promise<Problem[]> {
  const { isHugo, dates } = site.isInFiles ? await configured(site.root) : { isHugo: false, dates: [] }
  if (!isHugo) return []
  const problems: Problem[] = []
  const shown: string[] = []
  for (const kind of await site.store.kinds()) {
    const type = kind.includes('/') ? undefined : site.types.get(kind)
    if (!type) continue
    for (const head of (await site.store.heads(kind, {})).items) {
      const file = isShown(site, type, head) ? await site.fileOf(head.key) : undefined
      if (file === undefined) continue
      shown.push(file)
      const hiding = dates.find(([key, means]) => hides(head, key, means, site.clock.now()))
      if (hiding) problems.push(dateProblem(file, hiding))
    }
  }
  return [...problems, ...(await partProblems(site.root, shown.sort(), site.config.site.content))]
}

async function configured(root: string): Promise<Found> {
  const found = await Promise.all(
    CONFIGS.map(async (name) => {
      const config = await configOf(join(root, name), ['frontmatter', 'baseURL', 'baseurl', 'module', 'languages'])
      const own = name.includes('frontmatter.') ? config : objectsOf(config.frontmatter)[0]
      const isHugo = Object.keys(config).length > 0 && (!/^config\./.test(name) || 'baseURL' in config || own !== undefined)
      return { isHugo, own: own ?? {} }
    }),
  )
  const dates = found.flatMap(({ own }) =>
    DATES.flatMap(([name, means]) => textsOf(own[name]).map((key): [string, string] => [key, means])),
  )
  const isOwn = ([key]: readonly [string, string]) => !key.startsWith(':') && nameInQuire(key, null) === undefined
  return { isHugo: found.some(({ isHugo }) => isHugo), dates: dates.filter(isOwn) }
}

function hides({ fields }: Head, key: string, means: string, now: number): boolean {
  const name = Object.keys(fields).find((one) => one.toLowerCase() === key.toLowerCase())
  return name !== undefined && hidingKeys({ [means]: fields[name] ?? null }, now).length > 0
}

function dateProblem(file: string, [key, means]: readonly [string, string]): Problem {
  const message = `"${key}" hides nothing: the record is public.`
  return { file, message, hint: `Say map: { ${key}: ${means} } in the type.`, severity: 'warning' }
}

/**
 * Warns of each page of a folder with other texts in it, but that of the folder of content: once for its languages, and also where
 * it is no record here. One that is kept from the public is named as such.
 */
async function partProblems(root: string, shown: readonly string[], content: string): Promise<Problem[]> {
  const problems: Problem[] = []
  const isPublic = new Set(shown)
  for (const folder of foldersOf(shown, content)) {
    const names = (await readdir(join(root, folder)).catch(() => [])).filter(isBundlePage).sort()
    const pages = names.map((name) => `${folder}/${name}`)
    const page = pages.find((file) => !isRecordName(file) || isPublic.has(file))
    const [first, ...others] = within(folder, shown).filter((one) => !pages.includes(one))
    if (page === undefined || first === undefined) continue
    const which = others.length === 0 ? first : `${first} and ${counted(others.length, 'other')}`
    const message = `Hugo takes the texts beside this one for parts of it, without pages. Here they have some: ${which}.`
    const hint = 'Say permalink: false in them, or name this one _index.md.'
    problems.push({ file: page, message, hint, severity: 'warning' })
  }
  return problems
}

/** The folders that files lie in below the folder of content, in order. */
function foldersOf(files: readonly string[], content: string): string[] {
  const found = new Set<string>()
  for (const file of files)
    for (let at = dirname(file); at !== content && at !== '.' && !found.has(at); at = dirname(at)) found.add(at)
  return [...found].sort()
}
