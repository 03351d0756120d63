import { isDeepStrictEqual } from 'node:util'
import type { Access } from '#core/access/access.ts'
import type { Document } from '#core/document.ts'
import { ALL_GROUPS, groupKey, groupsIn } from '#core/settings.ts'
import type { Change, Put, Store } from '#core/store.ts'
import { blockOf, type Section, sectionsOf } from '#frontmatter/yaml/sections.ts'
import { readYaml } from '#frontmatter/yaml/yaml.ts'
import type { Fields } from '#lib/json.ts'
import { unreadable } from './unreadable.ts'

/** The groups that got a document of their own, and those that stay in the one of all. */
export interface Split {
  readonly groups: readonly string[]
  readonly left: readonly string[]
}

/**
 * Moves the groups of settings that are in the document of all into documents of their own, in one commit, with their comments.
 * A group that has one already stays where it is, and so does what is no group, or can't be moved as it is written.
 */
export async function splitSettings(store: Store, access: Access): Promise<Split> {
  const whole = await store.get(ALL_GROUPS)
  if (!whole) return { groups: [], left: [] }
  if (whole.problem?.severity === 'error') throw unreadable(whole.problem, true)
  const sections = sectionsOf(whole.source?.toString('utf8') ?? '')
  const moved = new Map<string, Put>()
  for (const [group, { values }] of groupsIn([whole])) {
    const put = isDeepStrictEqual({ ...values }, whole.fields[group]) ? putOf(sections, group, values) : undefined
    if (put && !(await store.head(groupKey(group)))) moved.set(group, put)
  }
  const left = Object.keys(whole.fields).filter((name) => !moved.has(name))
  if (moved.size === 0) return { groups: [], left }
  const rest = restOf(whole, sections, moved)
  const changes = [...moved].map(([group, put]): Change => ({ key: groupKey(group), put, expects: 'absent' }))
  await store.write([...changes, rest], access.author, { message: 'Give each group of settings a file' })
  return { groups: [...moved.keys()], left }
}

/** A file with the section of a group, if that reads as its values; else with the values alone, where there is no comment to lose. */
function putOf(sections: readonly Section[], group: string, values: Readonly<Fields>): Put | undefined {
  const section = sections.find(({ key }) => key === group)
  const block = section && blockOf(section)
  if (block !== undefined && reads(block, values)) return { source: Buffer.from(block) }
  return section && !section.text.includes('#') ? { set: { ...values } } : undefined
}

/** The change that leaves the rest of the document of all groups; where it is cut wrongly as text, by its values. */
function restOf({ key, version, fields }: Document, sections: readonly Section[], moved: ReadonlyMap<string, Put>): Change {
  const rest = sections.filter((section) => !moved.has(section.key))
  if (Object.keys(fields).every((name) => moved.has(name))) return { key, remove: true, expects: version }
  const text = rest.map((section) => section.text).join('')
  const values = Object.fromEntries(Object.entries(fields).filter(([name]) => !moved.has(name)))
  if (reads(text, values)) return { key, put: { source: Buffer.from(text) }, expects: version }
  return { key, put: { set: Object.fromEntries([...moved.keys()].map((name) => [name, null])) }, expects: version }
}

function reads(text: string, values: Readonly<Fields>): boolean {
  try {
    return isDeepStrictEqual({ ...readYaml(text) }, { ...values })
  } catch {
    return false
  }
}
