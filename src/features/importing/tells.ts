import { join } from 'node:path'
import { InvalidInput } from '#lib/errors.ts'
import { isFile } from './folder.ts'
import type { Source } from './item.ts'

/** The names of the files by which the folder of a tool is known. */
const TELLS = {
  hugo: ['hugo.toml', 'hugo.yaml', 'hugo.yml', 'hugo.json', 'config/_default/hugo.toml', 'config/_default/hugo.yaml'],
  jekyll: ['_config.yml', '_config.yaml', '_config.toml'],
  eleventy: ['eleventy.config.js', 'eleventy.config.mjs', 'eleventy.config.cjs', 'eleventy.config.ts', '.eleventy.js'],
} as const satisfies Partial<Record<Source, readonly string[]>>
const TOOLS = ['hugo', 'jekyll', 'eleventy'] as const

/**
 * Throws InvalidInput where the folder at a path is plainly that of another tool: what that hides by its own configuration would be
 * public.
 */
export async function mustBeOf(source: 'hugo' | 'eleventy' | 'markdown', path: string): Promise<void> {
  const found = await Promise.all(TOOLS.map(async (tool) => ((await hasOne(path, TELLS[tool])) ? tool : [])))
  const tools = found.flat()
  const [other] = tools
  if (other === undefined || tools.some((tool) => tool === source)) return
  const message = `${path} is a site of ${other}: with --from ${other}, what its configuration hides stays hidden.`
  throw new InvalidInput({ path: [message] })
}

async function hasOne(root: string, names: readonly string[]): Promise<boolean> {
  const there = await Promise.all(names.map((name) => isFile(join(root, name))))
  return there.includes(true)
}
