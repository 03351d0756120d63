import type { Document, Head, Problem } from '#core/document.ts'
import { rawOf } from '#core/format/written.ts'
import { parseKey } from '#core/key.ts'
import { folderOf } from '#core/media/attachments.ts'
import { checkFields, lookups } from '#core/rules/rules.ts'
import type { ContentType } from '#core/types/content-type.ts'
import { hidingKeys, misspeltKeys, unheededKeys } from '#frontmatter/hiding-words.ts'
import { cacheKey } from '#lib/cache-key.ts'
import { nearest } from '#lib/text/nearest.ts'
import { NamedFiles } from '../named-files.ts'
import type { Quire } from '../open/site.ts'
import { bundleProblems } from '../other-tools/bundles.ts'
import { exclusionProblems } from '../other-tools/exclusions.ts'
import { objectsOf } from '../other-tools/files.ts'
import { folderDataProblems } from '../other-tools/folder-data.ts'
import { hugoProblems } from '../other-tools/hugo.ts'
import { namedProblems } from '../other-tools/named-folders.ts'
import { selectionProblems } from '../other-tools/selected.ts'
import { systemProblems } from '../other-tools/system-kinds.ts'
import { wordProblems } from '../other-tools/words-in-texts.ts'
import { looseAuthorsOf } from './handle-notes.ts'
import { mediaProblems } from './media-problems.ts'
import { settingProblems } from './setting-problems.ts'

/** One thing wrong with one field of a record. */
interface Fault {
  readonly field: string
  readonly message: string
  readonly hint?: string
  readonly severity?: Problem['severity']
}

/** Number of occurrences of each value of a field among the records of a type. Computed once for each field that is asked for. */
type ValueCounts = Map<string, ReadonlyMap<string, number>>

/** The options for finding problems. */
interface Finding {
  /** The kinds to look at; all if it is not given, and what is no record, too. */
  readonly only?: readonly string[]
  /** A callback with how many pages of how many have been made, now and then. */
  readonly onPage?: (done: number, total: number) => void
}

/**
 * Finds the problems in the files, ordered by place: unreadable and odd files, values that break the rules of their type,
 * references to nothing, duplicate addresses, and templates that fail with a page.
 */
export async function findProblems(site: Quire, { only, onPage }: Finding = {}): Promise<Problem[]> {
  const { site: pages } = site.features
  const ofSite = only
    ? await pages.problems()
    : inPlaceOf([...(await pages.problems()), ...(await pages.remarks())], await pages.rendered(onPage))
  const ofTools = only
    ? []
    : [
        ...(await folderDataProblems(site)),
        ...(await exclusionProblems(site)),
        ...(await selectionProblems(site)),
        ...(await hugoProblems(site)),
        ...(await systemProblems(site)),
        ...(await settingProblems(site)),
        ...(await mediaProblems(site)),
      ]
  const problems = [...(await site.store.problems()), ...(await onFiles(site, ofSite)), ...ofTools]
  const cache: ValueCounts = new Map()
  const files = new NamedFiles(site)
  for (const kind of await site.store.kinds()) {
    const type = only && !only.includes(kind) ? undefined : site.types.get(kind)
    if (!type) continue
    problems.push(
      ...(await problemsOf(site, type, cache, files)),
      ...(await twinProblems(site, type)),
      ...(await bundleProblems(site, type)),
      ...(await namedProblems(site, type)),
      ...(await wordProblems(site, type)),
    )
  }
  return problems.sort(byPlace)
}

/** Some problems, with what the rendering says of the same place instead: it names pages. */
function inPlaceOf(problems: readonly Problem[], rendering: readonly Problem[]): Problem[] {
  const placeOf = ({ file, line }: Problem) => cacheKey(file, line)
  const places = new Set(rendering.map(placeOf))
  return [...problems.filter((problem) => problem.line === undefined || !places.has(placeOf(problem))), ...rendering]
}

/** Records whose ids differ in case only: where case does not count in file names, a checkout has one of them. */
async function twinProblems(site: Quire, type: ContentType): Promise<Problem[]> {
  const firsts = new Map<string, Head>()
  const problems: Problem[] = []
  for (const head of (await site.store.heads(type.name, { sort: [{ field: 'id', descending: false, as: 'text' }] })).items) {
    const folded = head.key.id.toLowerCase()
    const first = firsts.get(folded)
    if (!first) firsts.set(folded, head)
    else {
      const [file = head.key.id, other = first.key.id] = [await site.fileOf(head.key), await site.fileOf(first.key)]
      const message = `The name differs only in case from that of ${other}.`
      problems.push({ file, message, hint: 'Rename one: on other systems they are one file.', severity: 'warning' })
    }
  }
  return problems
}

/** The problems of `problems` that name a record (`posts/hello`) with its file instead. */
export function onFiles(site: Quire, problems: readonly Problem[]): Promise<Problem[]> {
  return Promise.all(
    problems.map(async (problem) => {
      const [kind = '', ...id] = problem.file.split('/')
      const key = parseKey(kind, id.join('/'))
      return { ...problem, file: (key && (await site.fileOf(key))) ?? problem.file }
    }),
  )
}

async function problemsOf(site: Quire, type: ContentType, cache: ValueCounts, files: NamedFiles): Promise<Problem[]> {
  const problems: Problem[] = []
  const { items } = await site.store.heads(type.name, {})
  for (const head of items) {
    if (head.problem?.severity === 'error') continue
    const faults = [
      ...statusFaults(type, head),
      ...cascadeFaults(type, head, site.clock.now()),
      ...hidingFaults(type, head, site.clock.now()),
      ...(type.declared ? await ruleFaults(site, type, head, cache) : []),
      ...(await fileFaults(type, head, files)),
    ]
    if (faults.length > 0) problems.push(...(await placed(site, head, faults)))
  }
  return problems
}

function statusFaults(type: ContentType, { fields }: Head): Fault[] {
  const status = String(fields.status ?? '')
  if (type.statuses.has(status)) return []
  const near = nearest(status, type.statuses.keys())
  const hint = near ? `Did you mean ${near}?` : `There are ${[...type.statuses.keys()].join(', ')}.`
  return [{ field: 'status', message: `There is no status "${status}".`, hint }]
}

/** A section's `cascade` speaks for all that is below it, in Hugo: what it keeps from the public there is public here. */
function cascadeFaults(type: ContentType, { fields, isSection }: Head, now: number): Fault[] {
  if (!isSection || type.fields.has('cascade')) return []
  if (!objectsOf(fields.cascade).some((values) => hidingKeys(values, now).length > 0)) return []
  const message = 'What cascade keeps from the public does not hold for the records below: it is not read.'
  return [{ field: 'cascade', message, hint: 'Say it in each of them.', severity: 'warning' }]
}

/** Returns a warning for each key by which another tool would keep a record from the public that is public here. */
function hidingFaults(type: ContentType, { fields }: Head, now: number): Fault[] {
  if (type.statuses.get(String(fields.status))?.live !== true) return []
  // Tags are a site's own, and a tag may say that a text is none for the public.
  const isTerm = (name: string) => name !== 'tags' && type.taxonomies.some((taxonomy) => taxonomy.name === name)
  const isOwn = (name: string) => type.fields.has(name) || isTerm(name)
  const fault = (field: string, hint: string): Fault => ({
    ...{ field, message: `"${field}" hides nothing: the record is public.`, hint },
    severity: 'warning',
  })
  const faults = [
    ...unheededKeys(fields, now).map((field) => fault(field, 'Say draft: true to keep the record from the public.')),
    ...misspeltKeys(fields, now).map(([field, meant]) => fault(field, `Did you mean ${meant}?`)),
  ]
  return faults.filter(({ field }) => !isOwn(field))
}

/** Only declared fields are looked at: what a file holds beside them is kept as it is. */
async function ruleFaults(site: Quire, type: ContentType, head: Head, cache: ValueCounts): Promise<Fault[]> {
  const declared = Object.fromEntries(Object.entries(head.fields).filter(([name]) => type.fields.has(name)))
  // A file needs neither title nor slug: both are made from its name.
  const errors = checkFields({ ...type, additionalFields: true }, { slug: 'named', ...declared }, { partial: false })
  const loose = looseAuthorsOf(type)
  const faults: Fault[] = Object.entries(errors).flatMap(([field, messages]) => messages.map((message) => ({ field, message })))
  for (const { field, kind, type: of, target, value, message } of lookups(type, declared)) {
    if (errors[field]) continue
    const values = await valuesOf(site, of, target, cache)
    const found = values.get(String(value)) ?? 0
    if (kind === 'unique' ? found <= 1 : found > 0) continue
    // Quire itself writes the handle of who makes a record.
    if (kind === 'exists' && of === loose && /^author(?:\.|$)/.test(field)) continue
    const near = kind === 'exists' ? nearest(String(value), values.keys()) : undefined
    faults.push({ field, message, ...(near ? { hint: `Did you mean ${near}?` } : {}) })
  }
  return faults
}

/** Returns a warning for each file that a field names and that is not there. */
async function fileFaults(type: ContentType, head: Head, files: NamedFiles): Promise<Fault[]> {
  const faults: Fault[] = []
  for (const field of type.fields.values()) {
    const lost = await files.lostIn(field, head.fields[field.name], folderOf(head))
    faults.push(...lost.map((one): Fault => ({ field: field.name, ...one, severity: 'warning' })))
  }
  return faults
}

async function valuesOf(site: Quire, type: string, target: string, cache: ValueCounts): Promise<ReadonlyMap<string, number>> {
  const name = cacheKey(type, target)
  const known = cache.get(name)
  if (known) return known
  const counts = new Map<string, number>()
  for (const { key, fields } of (await site.store.heads(type, {})).items) {
    const values = target === 'id' ? [key.id] : [fields[target] ?? []].flat()
    for (const value of values) counts.set(String(value), (counts.get(String(value)) ?? 0) + 1)
  }
  cache.set(name, counts)
  return counts
}

/** The faults with their file, and the line of the field's key where it is found. */
async function placed(site: Quire, head: Head, faults: readonly Fault[]): Promise<Problem[]> {
  const [file, document] = [await site.fileOf(head.key), await site.store.get(head.key)]
  const text = document ? headText(document) : ''
  return faults.map(({ field, message, hint, severity = 'error' }) => {
    // A path begins with the name of the field.
    const line = lineOf(text, field) ?? lineOf(text, field.split('.', 1)[0] ?? field)
    return {
      file: file ?? `${head.key.kind}/${head.key.id}`,
      ...(line === undefined ? {} : { line, column: 1 }),
      message,
      ...(hint ? { hint } : {}),
      severity,
    }
  })
}

/** The file up to where its front matter ends. */
function headText(document: Document): string {
  const end = rawOf(document)?.parts.headEnd
  return document.source?.toString('utf8', 0, end) ?? ''
}

/** The line of the file's own key of that name: of several, the one that is indented least. */
function lineOf(text: string, field: string): number | undefined {
  const found = text.split(/\r\n|\n|\r/).flatMap((line, at) => {
    const [, indent = '', name] = /^(\s*)["']?([\p{L}\p{M}\p{N}_-]+)["']?\s*[:=]/u.exec(line) ?? []
    return name === field ? [{ line: at + 1, indent: indent.length }] : []
  })
  return found.reduce<(typeof found)[number] | undefined>((a, b) => (a && a.indent <= b.indent ? a : b), undefined)?.line
}

function byPlace(a: Problem, b: Problem): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0)
}
