import { basename, dirname, join } from 'node:path'
import type { Head, Problem } from '#core/document.ts'
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
  return [...problems, ...partProblems(shown.sort(), site.config.site.content)]
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

/** Warns of each page of a folder with other texts in it, but that of the folder of content. */
function partProblems(shown: readonly string[], content: string): Problem[] {
  const pages = shown.filter((file) => /^index\.\w+$/.test(basename(file)) && dirname(file) !== content)
  return pages.flatMap((file) => {
    const [first, ...others] = within(dirname(file), shown).filter((one) => one !== file)
    if (first === undefined) return []
    const which = others.length === 0 ? first : `${first} and ${counted(others.length, 'other')}`
    const message = `Hugo takes the texts beside this one for parts of it, without pages. Here they have some: ${which}.`
    return [{ file, message, hint: 'Say permalink: false in them, or name this one _index.md.', severity: 'warning' }]
  })
}
