import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Problem } from '#core/document.ts'
import { readYaml } from '#frontmatter/yaml/yaml.ts'
import { counted } from '#lib/counted.ts'
import type { Quire } from './open/site.ts'

/** Longest list of another tool that is read, in characters and in entries. */
const MOST_CHARACTERS = 64 * 1024
const MOST_ENTRIES = 200
const RECORD = /(?:^|\/)[^_./][^/]*\.(?:md|markdown|mdx|ya?ml)$/i
/** Entries that are no plain patterns. */
const ODD = /^!|[{}()\\]|(?:^|\/)\.\.(?:\/|$)/

/**
 * Names the lists by which Jekyll (`exclude`) and Eleventy (`.eleventyignore`) leave files out that are records here. Of sites in
 * files.
 */
export async function exclusionProblems(site: Quire): Promise<Problem[]> {
  if (!site.passedOver) return []
  const { content } = site.config.site
  const lists: [string, string[]][] = [
    ['_config.yml', excludedByJekyll(await textOf(join(site.root, '_config.yml')))],
    ['.eleventyignore', lines(await textOf(join(site.root, '.eleventyignore')))],
    [`${content}/.eleventyignore`, lines(await textOf(join(site.root, content, '.eleventyignore')))],
  ]
  const problems: Problem[] = []
  for (const [file, entries] of lists) {
    const [first, ...others] = await recordsOf(entries, join(site.root, content), content)
    if (first === undefined) continue
    const which = `${content}/${first}${others.length === 0 ? '' : ` and ${counted(others.length, 'other')}`}`
    const message = `What is listed here to be left out is not: ${which}.`
    problems.push({
      file,
      message,
      hint: 'Say draft: true in each of them, or take them out of the content.',
      severity: 'warning',
    })
  }
  return problems
}

/** The records that the entries stand for, be they from the root of the site or from its content. */
async function recordsOf(entries: readonly string[], cwd: string, content: string): Promise<string[]> {
  const patterns = entries.slice(0, MOST_ENTRIES).flatMap((entry) => {
    const plain = entry.replace(/^\.?\/+|\/+$/g, '')
    const below = plain.startsWith(`${content}/`) ? plain.slice(content.length + 1) : plain
    return below === '' || ODD.test(below) ? [] : [below, `${below}/**`]
  })
  if (patterns.length === 0) return []
  const { default: glob } = await import('fast-glob')
  const found = await glob(patterns, { cwd, followSymbolicLinks: false, ignore: ['**/node_modules/**'] }).catch(() => [])
  return found.filter((file) => RECORD.test(file)).sort()
}

function excludedByJekyll(text: string): string[] {
  try {
    return [readYaml(text).exclude ?? []].flat().filter((entry) => typeof entry === 'string')
  } catch {
    return []
  }
}

function lines(text: string): string[] {
  return text.split(/\r?\n/).flatMap((line) => (line.trim() === '' || line.startsWith('#') ? [] : [line.trim()]))
}

async function textOf(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch(() => '')
  return text.length > MOST_CHARACTERS ? '' : text
}
