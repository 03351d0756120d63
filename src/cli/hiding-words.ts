import type { ContentType } from '#core/content-type.ts'
import type { Head } from '#core/document.ts'
import { isObject } from '#frontmatter/changes.ts'
import { draftWords, isUnlisted, yesOrNo } from '#frontmatter/tools.ts'
import type { Fields, Json } from '#lib/json.ts'

/** Keys that mean, where they are said at all, that a text is not for everyone; in small letters, without `_` and `-`. */
const CLOSED: ReadonlySet<string> = new Set([
  ...['private', 'isprivate', 'secret', 'confidential', 'protected', 'password', 'membersonly', 'requireslogin'],
  ...['isdraft', 'unpublished', 'wip', 'embargo', 'embargoed'],
])
/** Keys that mean so where they say no. */
const OPEN: ReadonlySet<string> = new Set(['public', 'ispublic', 'visible', 'isvisible', 'ispublished', 'live'])
/** Keys that mean so where they say one of these words. */
const STATES: ReadonlySet<string> = new Set([
  ...['visibility', 'access', 'state', 'poststatus', 'publishstatus', 'publicationstatus', 'workflow', 'workflowstate'],
])
const HIDDEN_STATE =
  /^(?:draft|drafts|in.?review|pending|hidden|none|private|secret|confidential|internal|members?|paid|tiers|password|protected|restricted|unpublished|scheduled|future|archived|expired|trash|bin)$/i

/** Names the fields of a live record by which other tools keep a text from the public, and Quire does not. */
export function hidingWords({ statuses, fields: declared, taxonomies }: ContentType, { fields }: Pick<Head, 'fields'>): string[] {
  if (statuses.get(String(fields.status))?.live !== true) return []
  const isOwn = (name: string) => declared.has(name) || taxonomies.some((taxonomy) => taxonomy.name === name)
  return Object.keys(fields).filter((name) => !isOwn(name) && hides(name, fields[name] ?? null))
}

/** Names the keys of data for many files by which a tool keeps these from the public, those that Quire knows in a file among them. */
export function hidingKeys(data: Readonly<Fields>): string[] {
  return Object.keys(data).filter((key) => {
    const value = data[key] ?? null
    const one = { [key]: value }
    if (hides(key, value) || draftWords(one).some(({ drafts }) => drafts) || isUnlisted(one)) return true
    return (key === 'permalink' && value === false) || (key === 'status' && isHiddenState(value))
  })
}

function hides(name: string, value: Json): boolean {
  const plain = name.toLowerCase().replace(/[_-]/g, '')
  if (value === null || value === '') return false
  if (CLOSED.has(plain)) return yesOrNo(value) !== false
  if (OPEN.has(plain)) return yesOrNo(value) === false
  return STATES.has(plain) && isHiddenState(value)
}

function isHiddenState(value: Json): boolean {
  const values = isObject(value) ? Object.values(value) : [value].flat()
  return values.some((one) => typeof one === 'string' && HIDDEN_STATE.test(one.trim()))
}
