import { isObject } from '#frontmatter/changes.ts'
import { UNSAFE_KEYS } from '#frontmatter/fault.ts'
import type { Fields, Json } from '#lib/json.ts'
import type { Head } from './document.ts'
import { GROUPS_KEY } from './files/layout.ts'
import { type Key, keyOf, segmentFault } from './key.ts'
import type { Field } from './types/content-type.ts'
import { type FieldInput, fieldOf } from './types/fields.ts'

/** A declared setting, as plain data. */
export interface SettingInput extends FieldInput {
  /** True if who may read content may read it. */
  readonly public?: boolean
}

/** A name of a setting: the group, which is its file, and its name there. */
export interface SettingName {
  readonly group: string
  readonly name: string
}

/** A declared setting. */
export interface Setting extends SettingName {
  /** `site.tagline`. */
  readonly key: string
  /** The name of the field is that of the setting. */
  readonly field: Field
  readonly isPublic: boolean
}

/** The values of a group of settings, and the document that has them. */
export interface SettingGroup {
  readonly values: Readonly<Fields>
  readonly head: Head
}

/** The kind of documents that hold settings, one for each group. */
export const SETTINGS = 'settings'

/** The group of settings that need no declaration. */
export const CUSTOM = 'custom'

const GROUP = /^[a-z0-9][a-z0-9_-]{0,63}$/
const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/

/** The name of the file with several groups is no group's, and `body` is the text of a file. */
const TAKEN_GROUPS: readonly string[] = [SETTINGS, 'body']

/** Settings that every site has. */
const BUILT_IN: Readonly<Record<string, SettingInput>> = {
  'site.tagline': { type: 'text', public: true, default: '', help: 'A few words below the name of the site.' },
  'site.description': { type: 'text', public: true, default: '', help: 'What the site is about, for search engines.' },
  'site.logo': { type: 'media', public: true, accept: ['image'] },
  'site.footer': { type: 'markdown', public: true, default: '', help: 'The text at the end of each page.' },
  'site.social': {
    type: 'list',
    public: true,
    default: [],
    help: 'Accounts elsewhere, each with a name and its address.',
    of: { type: 'object', fields: { name: { type: 'text', rules: 'required' }, url: { type: 'url', rules: 'required' } } },
  },
}

/** Reads `site.tagline`; undefined where that is no name of a setting. */
export function settingNamed(key: string): SettingName | undefined {
  const [group = '', name = '', ...more] = key.split('.')
  return more.length === 0 && isGroup(group) && isName(name) ? { group, name } : undefined
}

/** Returns the key of a setting: `site.tagline`. Neither part has a dot. */
export function settingKey(group: string, name: string): string {
  return `${group}.${name}`
}

/** Returns the reason why no setting can be called so, as the end of a sentence, or undefined if one can. */
export function settingFault(key: string): string | undefined {
  if (settingNamed(key)) return undefined
  const [group = '', name] = key.split('.')
  if (TAKEN_GROUPS.includes(group) || name === 'body') return 'has a part that is taken'
  return 'is not a group and a name with a dot between, such as shop.currency: letters (small ones in the group), digits, _ and -'
}

function isGroup(group: string): boolean {
  return GROUP.test(group) && !TAKEN_GROUPS.includes(group) && !UNSAFE_KEYS.has(group) && segmentFault(group) === undefined
}

function isName(name: string): boolean {
  return NAME.test(name) && name !== 'body' && !UNSAFE_KEYS.has(name)
}

/** Returns the declared settings by key: those of every site, and those of the configuration, which win. */
export function settingsOf(declared: Readonly<Record<string, SettingInput>>): ReadonlyMap<string, Setting> {
  const found = new Map<string, Setting>()
  for (const [key, input] of Object.entries({ ...BUILT_IN, ...declared })) {
    const named = settingNamed(key)
    if (named) found.set(key, { ...named, key, field: fieldOf(named.name, input), isPublic: input.public === true })
  }
  return found
}

/** The key of the document of a group. */
export function groupKey(group: string): Key {
  return keyOf(SETTINGS, group)
}

/** The key of the document that holds groups by their names: the file `settings.yaml`. */
export const ALL_GROUPS: Key = GROUPS_KEY

/** Returns the groups of settings that readable documents hold, by name: a group's own document wins over that of all groups. */
export function groupsIn(heads: readonly Head[]): ReadonlyMap<string, SettingGroup> {
  const whole = heads.find(({ key }) => key.id === ALL_GROUPS.id)
  const within = Object.keys(whole?.fields ?? {}).flatMap((group): [string, SettingGroup][] => {
    const found = whole && isGroup(group) ? groupWithin(whole, group) : undefined
    return found ? [[group, found]] : []
  })
  const own = heads.filter(({ key }) => isGroup(key.id)).map((head): [string, SettingGroup] => [head.key.id, groupOf(head)])
  return new Map([...within, ...own])
}

/** Returns the group whose own document this is. */
export function groupOf(head: Head): SettingGroup {
  return { values: named(head.fields), head }
}

/** Returns a group in the document of all groups; undefined where it has none of that name. */
export function groupWithin(whole: Head, group: string): SettingGroup | undefined {
  const values = Object.hasOwn(whole.fields, group) ? whole.fields[group] : undefined
  return isObject(values) ? { values: named(values), head: whole } : undefined
}

/** Returns the values for templates, by group and name: those of files, and the defaults of the others. */
export function settingValues(
  declared: ReadonlyMap<string, Setting>,
  groups: ReadonlyMap<string, SettingGroup>,
): Record<string, Record<string, Json>> {
  const found: Record<string, Record<string, Json>> = {}
  for (const { group, name, field } of declared.values()) found[group] = { ...found[group], [name]: defaultOf(field) }
  for (const [group, { values }] of groups) found[group] = { ...found[group], ...withoutNull(values) }
  return found
}

/** Returns the value of a setting that has none of its own. */
export function defaultOf({ default: value = null }: Field): Json {
  return value as Json
}

/** Without a prototype: `toString` is a name like others. */
function named(fields: Readonly<Fields>): Fields {
  return Object.assign(Object.create(null), Object.fromEntries(Object.entries(fields).filter(([name]) => isName(name))))
}

/** Nothing is written after a key where it has no value of its own. */
function withoutNull(values: Readonly<Fields>): Fields {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))
}
