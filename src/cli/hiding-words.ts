import type { ContentType } from '#core/content-type.ts'
import type { Head } from '#core/document.ts'
import { isObject } from '#frontmatter/changes.ts'
import { draftWords, isUnlisted, nameInQuire, yesOrNo } from '#frontmatter/tools.ts'
import type { Fields, Json } from '#lib/json.ts'

/** Keys that hide a text where they are there and do not say no. All keys here are in lower case, without `_` and `-`. */
const CLOSED: ReadonlySet<string> = new Set([
  ...['private', 'isprivate', 'secret', 'confidential', 'protected', 'password', 'membersonly', 'requireslogin'],
  ...['isdraft', 'drafts', 'unpublished', 'wip', 'embargo', 'embargoed', 'nopublish', 'dontpublish', 'emailonly'],
  ...['protect', 'restricted', 'internal', 'internalonly', 'paywall', 'requiresauth', 'disabled', 'deleted', 'trashed'],
])
/** Keys that hide a text where they say no. */
const OPEN: ReadonlySet<string> = new Set([
  ...['public', 'ispublic', 'visible', 'isvisible', 'ispublished', 'live'],
  ...['dgpublish', 'render', 'routable', 'approved', 'ready', 'enabled'],
])
/** Keys that hide a text where they have one of the values of HIDDEN_STATE. */
const STATES: ReadonlySet<string> = new Set([
  ...[
    'visibility',
    'access',
    'state',
    'poststatus',
    'publishstatus',
    'publicationstatus',
    'publishstate',
    'workflow',
    'workflowstate',
  ],
  ...['stage', 'review'],
])
/** Matches keys that hide a text until the date that is their value. */
const FROM =
  /^(?:(?:pub|publish|published|publication|release|released|embargo|golive|available)(?:date|time|datetime|at|on|from|until)|date(?:published|released)|golive|scheduled(?:at|for|on)?)$/
/** Matches keys that hide a text from the date that is their value. */
const UNTIL =
  /^(?:(?:expires?|expiry|expiration|unpublish|unpublished)(?:date|time|datetime|at|on)?|(?:valid|available|visible)(?:until|to|till))$/
const HIDDEN_STATE =
  /^(?:draft|drafts|in.?review|pending|hidden|none|private|secret|confidential|internal|members?|paid|tiers|password|protected|restricted|unpublished|scheduled|future|archived|expired|trash|bin)$/i

/** Names the fields of a live record by which other tools keep a text from the public at `now`, and Quire does not. */
export function hidingWords(type: ContentType, { fields }: Pick<Head, 'fields'>, now: number): string[] {
  const { statuses, fields: declared, taxonomies } = type
  if (statuses.get(String(fields.status))?.live !== true) return []
  const isOwn = (name: string) => declared.has(name) || taxonomies.some((taxonomy) => taxonomy.name === name)
  return Object.keys(fields).filter((name) => !isOwn(name) && hides(name, fields[name] ?? null, now))
}

/**
 * Names the keys of data for many files by which a tool keeps these from the public, those that Quire knows in a file among them.
 */
export function hidingKeys(data: Readonly<Fields>, now: number): string[] {
  return Object.keys(data).filter((key) => {
    const value = data[key] ?? null
    const one = { [key]: value }
    if (hides(key, value, now) || draftWords(one).some(({ drafts }) => drafts) || isUnlisted(one)) return true
    return (key === 'permalink' && value === false) || (key === 'status' && isHiddenState(value))
  })
}

function hides(name: string, value: Json, now: number): boolean {
  const plain = name.toLowerCase().replace(/[_-]/g, '')
  if (value === null || value === '') return false
  if (CLOSED.has(plain)) return yesOrNo(value) !== false
  if (OPEN.has(plain)) return yesOrNo(value) === false
  if (plain === 'eleventycomputed' && isObject(value)) return hidingKeys(value, now).length > 0
  // Grav names there what a reader has to be allowed to.
  if (plain === 'access' && isObject(value)) return true
  if (STATES.has(plain)) return isHiddenState(value)
  return nameInQuire(name, value) === undefined && hidesByDate(plain, value, now)
}

function hidesByDate(plain: string, value: Json, now: number): boolean {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return time > now ? FROM.test(plain) : time <= now && UNTIL.test(plain)
}

function isHiddenState(value: Json): boolean {
  const values = isObject(value) ? Object.values(value) : [value].flat()
  return values.some((one) => typeof one === 'string' && HIDDEN_STATE.test(one.trim()))
}
