import type { Fields, Json } from '#lib/json.ts'
import { isObject } from './changes.ts'
import { mayBeToCome } from './possible-dates.ts'

/**
 * Names that other tools (Hugo, Jekyll, Eleventy, Zola, Pelican) use for fields of Quire, in lower case, since most of them
 * accept any case.
 */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['status', 'status'],
  ['date', 'published_at'],
  ['published_at', 'published_at'],
  ['publishdate', 'published_at'],
  ['pubdate', 'published_at'],
  ['lastmod', 'updated_at'],
  ['updated', 'updated_at'],
  ['expires_at', 'expires_at'],
  ['expirydate', 'expires_at'],
  ['unpublishdate', 'expires_at'],
  ['redirect_from', 'aliases'],
  ['permalink', 'permalink'],
  ['noindex', 'noindex'],
])

/** Names that a type has as fields of its own where it declares them, whatever other tools mean by them. */
const CLAIMABLE: ReadonlySet<string> = new Set([
  ...['publishdate', 'pubdate', 'published', 'publish', 'expirydate', 'unpublishdate', 'redirect_from', 'path'],
])

const LATER: ReadonlySet<string> = new Set(['publishdate', 'pubdate', 'published', 'publish'])
const HIDDEN: ReadonlySet<string> = new Set(['hidden', 'unlisted', 'eleventyexcludefromcollections'])
const UNSEEN = /[\s\p{Cf}]+/gu
/** Most keys are small letters alone. */
const PLAIN = /^[a-z_]+$/
const YES = /^(?:true|yes|on|y|t|1)$/i
const NO = /^(?:false|no|off|n|f|0)$/i
/** Matches a no where people are asked if a text is published. */
const NOT_PUBLISHED = /^\s*(?:drafts?|unpublished|private|hidden|wip)\s*$/i

/**
 * Returns a key in small letters, without what nobody sees in it: a no-break space or a soft hyphen that came along by copying
 * must not make `draft` a word that says nothing.
 */
export function plainName(key: string): string {
  return PLAIN.test(key) ? key : key.replaceAll(UNSEEN, '').toLowerCase()
}

/** Quire's name for a key of other tools; undefined where none is known. `url` and `path` are addresses of the page where they are paths. */
export function nameInQuire(key: string, value: Json | undefined): string | undefined {
  if ((key === 'url' || key === 'path') && typeof value === 'string' && value.startsWith('/')) return 'permalink'
  return NAMES.get(plainName(key))
}

/** True for a name that a type may declare as a field of its own, which other tools use otherwise. */
export function isClaimable(name: string): boolean {
  return CLAIMABLE.has(plainName(name))
}

/** True for a key that says when a text is published at the earliest, beside its date. */
export function isLaterKey(key: string): boolean {
  return LATER.has(plainName(key))
}

/**
 * True where a key says that with this value. `published` and `publish` do with a date alone, which may be one that is not written
 * as Quire reads it.
 */
export function saysLater(key: string, value: Json | undefined): boolean {
  if (!isLaterKey(key)) return false
  return !/^publish(?:ed)?$/.test(plainName(key)) || isDate(value) || (yesOrNo(value) === undefined && mayBeToCome(value))
}

function isDate(value: Json | undefined): boolean {
  return typeof value === 'string' && /^\s*\d{4}[-/]\d\d?[-/]\d/.test(value)
}

/** A yes or a no in the words of YAML 1.1, TOML, JSON and people; undefined for anything else. */
export function yesOrNo(value: Json | undefined): boolean | undefined {
  if (typeof value === 'boolean') return value
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : ''
  return YES.test(text) ? true : NO.test(text) ? false : undefined
}

/** A key of a file that says whether the text is a draft. `odd` where it can't be told which: then it is one. */
export interface DraftWord {
  readonly key: string
  readonly drafts: boolean
  readonly odd: boolean
}

/** Returns the values of `draft`, `published` and `publish`, in the order of the file. Empty and null values are skipped. */
export function draftWords(data: Readonly<Fields>): DraftWord[] {
  const words: DraftWord[] = []
  for (const key in data) {
    const word = draftWord(key, data[key] ?? null)
    if (word) words.push(word)
  }
  return words
}

/** True for a key that says nothing but whether the text is a draft. */
export function isDraftWord(key: string, value: Json): boolean {
  return plainName(key) === 'draft' || draftWord(key, value) !== undefined
}

function draftWord(key: string, value: Json): DraftWord | undefined {
  const name = plainName(key)
  if ((name !== 'draft' && name !== 'published' && name !== 'publish') || value === null || value === '') return undefined
  const said = yesOrNo(value)
  if (name === 'draft') return { key, drafts: said ?? true, odd: said === undefined }
  if (typeof value === 'string' && NOT_PUBLISHED.test(value)) return { key, drafts: true, odd: false }
  return said === undefined ? undefined : { key, drafts: !said, odd: false }
}

/** True where a record is in no list of the site: `unlisted`, `hidden`, `sitemap: false`, `build: { list: never }` and what has no page. */
export function isUnlisted(fields: Readonly<Fields>): boolean {
  return hasNoPage(fields) || isAnySaid(fields, saysUnlisted)
}

function saysUnlisted(name: string, value: Json): boolean {
  if (HIDDEN.has(name)) return isSaid(value)
  if (name === 'sitemap') return yesOrNo(value) === false || saysWithin(value, 'disable', isSaid)
  return isBuild(name) && saysWithin(value, 'list', (list) => isOneOf(list, 'never', 'local'))
}

/**
 * True where a record is to have no page, by the words of Hugo and Eleventy: `headless`, `build: { render: never }`,
 * `permalink: { build: false }`.
 */
export function hasNoPage(fields: Readonly<Fields>): boolean {
  return isAnySaid(fields, saysNoPage)
}

function saysNoPage(name: string, value: Json): boolean {
  if (name === 'headless') return isSaid(value)
  if (name === 'permalink') return saysWithin(value, 'build', (build) => yesOrNo(build) === false)
  return isBuild(name) && saysWithin(value, 'render', (render) => isOneOf(render, 'never', 'link'))
}

/** True where Hugo publishes no file beside a page but those that a template asks for: `build: { publishResources: false }`. */
export function keepsFilesBack(fields: Readonly<Fields>): boolean {
  return isAnySaid(
    fields,
    (name, value) => isBuild(name) && saysWithin(value, 'publishresources', (one) => yesOrNo(one) === false),
  )
}

/** Returns whether any of the fields says something by its plain name. Every record of a site is asked: lists of entries take longer. */
function isAnySaid(fields: Readonly<Fields>, says: (name: string, value: Json) => boolean): boolean {
  for (const key in fields) if (says(plainName(key), fields[key] ?? null)) return true
  return false
}

function isBuild(name: string): boolean {
  return name === 'build' || name === '_build'
}

/** Returns whether an object has a key of this name, in whatever letters, whose value `says` what is asked. */
function saysWithin(value: Json, name: string, says: (value: Json) => boolean): boolean {
  return isObject(value) && Object.entries(value).some(([key, one]) => plainName(key) === name && says(one ?? null))
}

function isOneOf(value: Json | undefined, ...words: string[]): boolean {
  return yesOrNo(value) === false || (typeof value === 'string' && words.includes(value.trim().toLowerCase()))
}

/** Returns whether a value means yes. Unclear ones do, to keep the text from the public. */
function isSaid(value: Json | undefined): boolean {
  return value !== undefined && value !== null && value !== '' && yesOrNo(value) !== false
}
