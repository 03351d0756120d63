import { readFile, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Problem } from '#core/document.ts'
import { isObject } from '#frontmatter/changes.ts'
import { hidingKeys } from '#frontmatter/hiding.ts'
import { readToml } from '#frontmatter/toml/toml.ts'
import { readYaml } from '#frontmatter/yaml/yaml.ts'
import type { Fields, Json } from '#lib/json.ts'
import type { Quire } from './open/site.ts'

/** A file of another tool that is larger is not looked at. */
const MOST_BYTES = 1024 * 1024
/** Hugo's and Jekyll's, from the site's root. */
const CONFIGS = [
  ...['_config.yml', '_config.yaml', '_config.toml'],
  ...['hugo.yaml', 'hugo.yml', 'hugo.toml', 'hugo.json', 'config.yaml', 'config.yml', 'config.toml', 'config.json'],
]
const DATA = ['**/*.json', '**/*.11tydata.{js,cjs,mjs}']
const RECORD_ENDINGS = ['.md', '.markdown', '.mdx']
/** A value in a program's code that plainly keeps files from the public. */
const SAID_IN_CODE =
  /\b(?:(draft|eleventyExcludeFromCollections|private)["']?\s*:\s*true|(published|publish|permalink)["']?\s*:\s*false)\b/

/**
 * Names what files of other tools say for many records at once to keep them from the public: it is not read. Of sites in files.
 */
export async function folderDataProblems(site: Quire): Promise<Problem[]> {
  if (!site.passedOver) return []
  const { default: glob } = await import('fast-glob')
  const { content } = site.config.site
  const cwd = join(site.root, content)
  const found = await glob(DATA, { cwd, followSymbolicLinks: false, ignore: ['**/node_modules/**'] }).catch(() => [])
  const problems: Problem[] = []
  for (const file of found.sort()) {
    const path = join(cwd, file)
    if (!(await speaksFor(path))) continue
    problems.push(...problem(`${content}/${file}`, await keysIn(path, site.clock.now()), 'the files it is for'))
  }
  for (const file of CONFIGS) {
    const said = valuesFor(await read(join(site.root, file)))
    problems.push(
      ...problem(
        file,
        said.flatMap((values) => hidingKeys(values, site.clock.now())),
        'the files that its defaults are for',
      ),
    )
  }
  return problems
}

function problem(file: string, keys: readonly string[], which: string): Problem[] {
  if (keys.length === 0) return []
  const names = [...new Set(keys)].map((key) => `"${key}"`).join(', ')
  const message = `${names} ${names.includes(',') ? 'do' : 'does'} not keep ${which} from the public: this is not read.`
  return [{ file, message, hint: 'Say draft: true in each of them, or take them out of the content.', severity: 'warning' }]
}

/** Eleventy takes `posts/posts.json` for the folder, and `hello.json` for the file `hello.md`. */
async function speaksFor(path: string): Promise<boolean> {
  if (/\.11tydata\.\w+$/.test(path)) return true
  const name = path.slice(0, -'.json'.length)
  if (basename(name) === basename(dirname(path))) return true
  const beside = await Promise.all(RECORD_ENDINGS.map((ending) => stat(name + ending).catch(() => undefined)))
  return beside.some((one) => one?.isFile())
}

async function keysIn(path: string, now: number): Promise<string[]> {
  if (path.endsWith('.json')) return hidingKeys(await read(path), now)
  const [, yes, no] = SAID_IN_CODE.exec(await textOf(path)) ?? []
  return [yes ?? no ?? []].flat()
}

/** Returns the values that a configuration sets for many files: Jekyll's `defaults`, Hugo's `cascade`. */
function valuesFor({ defaults, cascade }: Fields): Fields[] {
  const ofJekyll = listOf(defaults).flatMap(({ values }) => (isObject(values) ? [values] : []))
  return [...ofJekyll, ...listOf(cascade)]
}

function listOf(value: Json | undefined): Fields[] {
  return [value ?? []].flat().filter(isObject)
}

/** The data of a file; none where it is not there, or can't be read. */
async function read(path: string): Promise<Fields> {
  const text = await textOf(path)
  if (text === '') return {}
  try {
    if (!path.endsWith('.json')) return path.endsWith('.toml') ? readToml(text) : readYaml(text)
    const data: Json = JSON.parse(text)
    return isObject(data) ? data : {}
  } catch {
    return {}
  }
}

async function textOf(path: string): Promise<string> {
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  )
  return size === 0 || size > MOST_BYTES ? '' : readFile(path, 'utf8')
}
