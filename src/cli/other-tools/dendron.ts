import { isObject } from '#frontmatter/changes.ts'
import { yesOrNo } from '#frontmatter/other-tools.ts'
import type { Json } from '#lib/json.ts'
import { configOf, textsOf } from './files.ts'

/** Returns how files match that Dendron does not publish by its configuration: a name's first part is its hierarchy. */
export async function leftOutByDendron(path: string): Promise<((file: string) => boolean)[]> {
  const config = await configOf(path, ['publishing', 'site'])
  return [config.publishing, config.site].filter(isObject).map((publishing) => {
    const hierarchies = isObject(publishing.hierarchies) ? publishing.hierarchies : {}
    const names = textsOf(publishing.siteHierarchies)
    const listed = new Set(names.includes('root') || names.length === 0 ? [] : names)
    return (file) => {
      const name = file.replace(/^.*\//, '')
      const [hierarchy = ''] = name.split('.')
      return name !== 'root.md' && (isClosed(hierarchies[hierarchy]) || (listed.size > 0 && !listed.has(hierarchy)))
    }
  })
}

/** True for a hierarchy of which nothing is published but what says so; it may be told by the name of a vault. */
function isClosed(hierarchy: Json | undefined): boolean {
  const said = isObject(hierarchy) ? hierarchy.publishByDefault : undefined
  return [said ?? null, ...(isObject(said) ? Object.values(said) : [])].some((one) => yesOrNo(one) === false)
}
