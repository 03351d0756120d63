import type { Fields, Json } from '#lib/json.ts'
import { nearest } from '#lib/text/nearest.ts'
import { isObject } from './changes.ts'
import { draftWords, isUnlisted, nameInQuire, plainName, saysLater, yesOrNo } from './other-tools.ts'

/** Keys that hide a text where they are there and do not say no. All keys here are in lower case, without `_` and `-`. */
const CLOSED: ReadonlySet<string> = new Set([
  ...['private', 'isprivate', 'secret', 'confidential', 'protected', 'password', 'membersonly', 'requireslogin'],
  ...['isdraft', 'drafts', 'unpublished', 'wip', 'embargo', 'embargoed', 'nopublish', 'dontpublish', 'emailonly'],
  ...['protect', 'restricted', 'internal', 'internalonly', 'paywall', 'requiresauth', 'disabled', 'deleted', 'trashed'],
  ...['ishidden', 'donotpublish', 'subscribersonly', 'loginrequired', 'requirelogin', 'authrequired'],
  ...[
    'subscriberonly',
    'onlymembers',
    'memberonly',
    'onlysubscribers',
    'restrictedto',
    'nodeploy',
    'draftstatus',
    'passwd',
    'dgpass',
  ],
])
/** Keys that hide a text where they say yes: they may also have lists, of what is hidden of the page or of people. */
const CLOSED_BY_YES: ReadonlySet<string> = new Set([
  'hide',
  'ignored',
  'encrypted',
  'encrypt',
  'members',
  'paid',
  'locked',
  'expired',
  'ignorepublish',
  'saveasdraft',
  'ispagepart',
  'notpublished',
  'unpublish',
])
/** Keys that hide a text where they say no. */
const OPEN: ReadonlySet<string> = new Set([
  ...['public', 'ispublic', 'visible', 'isvisible', 'ispublished', 'live'],
  ...['dgpublish', 'render', 'routable', 'approved', 'ready', 'enabled', 'listed', 'islisted', 'online'],
])
/** Keys that hide a text where they have one of the values of HIDDEN_STATE. */
const STATES: ReadonlySet<string> = new Set([
  ...[
    'visibility',
    'audience',
    'tier',
    'permission',
    'acl',
    'access',
    'state',
    'stage',
    'stream',
    'review',
    'workflow',
    'workflowstate',
  ],
  ...['poststatus', 'publishstatus', 'publicationstatus', 'publishstate'],
])
/** Matches keys that hide a text until the date that is their value. */
const FROM =
  /^(?:(?:pub|publish|published|publication|release|released|embargo|golive|available|post)(?:date|time|datetime|at|on|from)|date(?:published|released)|publish|published|release|released|embargountil|notbefore|golive|scheduled(?:at|for|on)?)$/
/** Matches keys that hide a text from the date that is their value. */
const UNTIL =
  /^(?:(?:expires?|expiry|expiration|unpublish|unpublished)(?:date|time|datetime|at|on)?|(?:valid|available|visible|publish|published)(?:until|to|till)|notafter|hideafter)$/
/** Keys that Quire acts on, as people mean to write them. */
const HEEDED = [
  'draft',
  'status',
  'published',
  'publish',
  'published_at',
  'publishDate',
  'expires_at',
  'expiryDate',
  'unlisted',
  'hidden',
]
/** Matches a date as it is written in data. */
const DATE = /^\d[\d\s:./TZ+-]*(?:UTC|GMT)?$/
const HIDDEN_STATE =
  /^(?:draft|drafts|in.?review|pending|hidden|none|private|skip|secret|confidential|internal|members?|paid|tiers|password|protected|restricted|unpublished|scheduled|future|archived|expired|trash|bin)$/i

/** Names the keys of data by which any tool keeps a text from the public at `now`, those that Quire acts on among them. */
export function hidingKeys(data: Readonly<Fields>, now: number): string[] {
  return Object.keys(data).filter((key) => {
    const value = data[key] ?? null
    return isHeeded(key, value, now) || isUnheeded(key, value, now)
  })
}

/** Names those keys alone that Quire does not act on. */
export function unheededKeys(data: Readonly<Fields>, now: number): string[] {
  return Object.keys(data).filter((key) => isUnheeded(key, data[key] ?? null, now))
}

/**
 * Finds the keys that stand for nothing, and would keep a text from the public at `now` were they spelled as the key that they are
 * nearest to (`drfat: true`): each with that key.
 */
export function misspeltKeys(data: Readonly<Fields>, now: number): [key: string, meant: string][] {
  return Object.keys(data).flatMap((key): [string, string][] => {
    const [value, meant] = [data[key] ?? null, nearest(key, HEEDED)]
    if (meant === undefined || !isDataWord(value) || isKnown(key, value)) return []
    const hides = isHeeded(key, value, now) || isUnheeded(key, value, now)
    return !hides && isHeeded(meant, value, now) ? [[key, meant]] : []
  })
}

/** True for a word by which some tool hides or shows a text, and for the name of a field of Quire's. */
function isKnown(key: string, value: Json): boolean {
  const plain = plainName(key).replace(/[_-]/g, '')
  const isListed = [CLOSED, CLOSED_BY_YES, OPEN, STATES].some((words) => words.has(plain))
  return isListed || FROM.test(plain) || UNTIL.test(plain) || nameInQuire(key, value) !== undefined
}

/** True for a value that is written in data more than in sentences: yes, no, a date, a name of a state. */
export function isDataWord(value: Json): boolean {
  return yesOrNo(value) !== undefined || isHiddenState(value) || (DATE.test(String(value)) && !Number.isNaN(timeOf(value)))
}

function isUnheeded(key: string, value: Json, now: number): boolean {
  const name = plainName(key)
  const plain = name.replace(/[_-]/g, '')
  if (value === null || value === '') return false
  // As `_draft`: Quire's word, but written otherwise.
  const isOther = plain !== name && nameInQuire(name, value) === undefined
  if (isOther && isHeeded(plain, value, now) && !isHeeded(key, value, now)) return true
  if (CLOSED.has(plain)) return yesOrNo(value) !== false
  if (CLOSED_BY_YES.has(plain)) return yesOrNo(value) === true
  if (OPEN.has(plain)) return yesOrNo(value) === false
  // Hugo's own are beside those that templates read as well.
  if ((plain === 'eleventycomputed' || plain === 'params') && isObject(value)) return hidingKeys(value, now).length > 0
  // Below a key of its own no tool looks for them: people do. Of a cascade something else is said.
  if (plain !== 'cascade' && isObject(value) && Object.entries(value).some(([inner, said]) => isWordOfDrafts(inner, said)))
    return true
  // Grav names there what a reader has to be allowed to.
  if (plain === 'access' && isObject(value)) return true
  if (STATES.has(plain)) return isHiddenState(value)
  // Nikola's.
  if (plain === 'tags') return namesIn(value).some((name) => /^(?:draft|private)$/i.test(name))
  return nameInQuire(key, value) === undefined && !saysLater(key, value) && hidesByDate(plain, timeOf(value), now)
}

function isWordOfDrafts(key: string, value: Json): boolean {
  return (
    draftWords({ [key]: value }).some(({ drafts }) => drafts) || (plainName(key) === 'status' && /^drafts?$/i.test(String(value)))
  )
}

function isHeeded(key: string, value: Json, now: number): boolean {
  const one = { [key]: value }
  if (draftWords(one).some(({ drafts }) => drafts) || isUnlisted(one)) return true
  const name = saysLater(key, value) ? 'published_at' : nameInQuire(key, value)
  if (name === 'permalink') return yesOrNo(value) === false
  if (name === 'status') return isHiddenState(value)
  return name === 'published_at' ? timeOf(value) > now : name === 'expires_at' && timeOf(value) <= now
}

function hidesByDate(plain: string, time: number, now: number): boolean {
  return time > now ? FROM.test(plain) : time <= now && UNTIL.test(plain)
}

function isHiddenState(value: Json): boolean {
  const values = isObject(value) ? Object.values(value) : [value].flat()
  return values.some((one) => typeof one === 'string' && HIDDEN_STATE.test(one.trim()))
}

function namesIn(value: Json): string[] {
  const names = typeof value === 'string' ? value.split(',') : [value].flat()
  return names.flatMap((name) => (typeof name === 'string' ? [name.trim()] : []))
}

/** The time that a value says, in milliseconds since 1970; NaN for none. */
function timeOf(value: Json): number {
  const text = String(value).trim()
  // Seconds and milliseconds of other tools.
  if (/^\d{9,10}$/.test(text)) return Number(text) * 1000
  if (/^\d{12,13}$/.test(text)) return Number(text)
  const [year] = /(?<!\d)\d{4}(?!\d)/.exec(text) ?? []
  if (typeof value === 'object' || year === undefined) return Number.NaN
  const [, day = '', month = ''] = /^(\d{1,2})\.(\d{1,2})\.\d{4}/.exec(text) ?? []
  const [date = ''] = /^\d{4}-\d\d-\d\d/.exec(text) ?? []
  const readings = [...(day === '' ? [text] : [`${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`]), date]
  // Of what is not understood, the end of its year.
  return [...readings, `${year}-12-31`].map((reading) => Date.parse(reading)).find((time) => !Number.isNaN(time)) ?? Number.NaN
}
