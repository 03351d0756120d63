import type { Author, Document, Head, Problem } from '#core/document.ts'
import { editSource } from '#core/format/edit.ts'
import { readDocument } from '#core/format/read.ts'
import { Blame } from '#core/history/blame.ts'
import { PastChoice, type PastHead, type PastList, type PastMoment } from '#core/history/past.ts'
import type { Action, Note, Revision, RevisionNumber } from '#core/history/revision.ts'
import { actionOf } from '#core/history/revision-message.ts'
import { timeNamed } from '#core/history/revision-name.ts'
import { idToPath, isPrivate, type Key, type Kind, keyOf, keyText } from '#core/key.ts'
import type { Count, Fact, Ledger } from '#core/ledger.ts'
import { fieldOf, orderHeads } from '#core/queries/comparison.ts'
import { matches } from '#core/queries/operators.ts'
import type { Page, Query } from '#core/queries/query.ts'
import { isLive, statusAt } from '#core/status.ts'
import type { Change, Changed, Claim, Cursor, Feed, Health, Latest, Part, Store, Unsubscribe } from '#core/store.ts'
import type { ContentTypes } from '#core/types/content-type.ts'
import type { Clock } from '#lib/clock.ts'
import { CaseConflict, Conflict, InvalidInput, NotFound, Stale, Unreadable } from '#lib/errors.ts'
import type { Json } from '#lib/json.ts'
import { compareText } from '#lib/text/compare.ts'
import { changesOf } from '#stores/engine/changes.ts'

interface Held {
  document: Document
  bytes: Buffer
  extension: string
}

type Documents = ReadonlyMap<string, Held>

/** A revision and what the record was in it; nothing where it was removed. */
interface Kept {
  revision: Revision
  held: Held | undefined
  /** The path of its file at that time. */
  file: string
}

/** The history that is kept: by key, oldest first. */
type Histories = ReadonlyMap<string, readonly Kept[]>

/** The simplest implementation of a `Store`: every query goes over every document. Other stores are compared with it. */
export class MemoryStore implements Store {
  readonly #types: ContentTypes
  readonly #clock: Clock
  readonly #kinds = new Set<Kind>()
  readonly #log: Changed[] = []
  readonly #listeners = new Set<() => void>()
  readonly #once = new Map<string, { at: number; documents: Document[] }>()
  #held: Documents = new Map()
  #histories: Histories | undefined

  /**
   * `files` are paths from the site's root (`content/posts/a.md`) and what they hold. Without `history` there are no revisions,
   * as without git.
   */
  constructor(parts: { types: ContentTypes; clock: Clock; files?: Readonly<Record<string, string>>; history?: boolean }) {
    this.#types = parts.types
    this.#clock = parts.clock
    const held = new Map<string, Held>()
    for (const [path, text] of Object.entries(parts.files ?? {})) this.#seed(held, path, Buffer.from(text))
    this.#held = held
    if (!parts.history) return
    const by = { name: 'Author', email: 'author@example.org' }
    this.#histories = new Map()
    for (const [text, one] of held) this.#keep(held, text, one, by, { action: 'external', message: 'By hand' }, [])
  }

  #seed(held: Map<string, Held>, path: string, bytes: Buffer): void {
    const [, folder = '', name = '', extension = ''] = /^content\/(taxonomy\/[^/]+|[^/]+)\/(.+)\.([a-z]+)$/.exec(path) ?? []
    const id = name.replace(/\/index$/, '').replaceAll('/', '~')
    const [, page = '', pageExtension = ''] = /^content\/([^/]+)\.([a-z]+)$/.exec(path) ?? []
    const key = page ? keyOf('pages', page) : keyOf(folder, id)
    held.set(keyText(key), this.#read(key, bytes, extension || pageExtension, path))
    this.#kinds.add(key.kind)
  }

  #read(key: Key, bytes: Buffer, extension: string, file = fileOf(key, extension)): Held {
    return { document: readDocument(key, this.#types.shape(key.kind), bytes, { extension }, file), bytes, extension }
  }

  async kinds(): Promise<Kind[]> {
    return [...this.#kinds].filter((kind) => !isPrivate(kind)).sort()
  }

  async get(key: Key): Promise<Document | undefined> {
    return this.#held.get(keyText(key))?.document
  }

  async head(key: Key): Promise<Head | undefined> {
    return this.get(key)
  }

  async browse(kind: Kind, query: Query): Promise<Page<Document>> {
    const all = this.#find(kind, query)
    const offset = query.offset ?? 0
    return { items: all.slice(offset, offset + (query.limit ?? all.length)), total: all.length }
  }

  async heads(kind: Kind, query: Query): Promise<Page<Head>> {
    return this.browse(kind, query)
  }

  async count(kind: Kind, query: Query, by: string): Promise<Map<string, number>> {
    const counts = new Map<string, number>()
    for (const document of this.#find(kind, query)) {
      const value = fieldOf(document, by, this.#status(document))
      const items = [value ?? []].flat().filter((item) => item !== null && typeof item !== 'object')
      for (const text of new Set(items.map(String))) counts.set(text, (counts.get(text) ?? 0) + 1)
    }
    return counts
  }

  #find(kind: Kind, query: Query): Document[] {
    const statuses = this.#types.shape(kind).statuses
    return this.#of(kind)
      .filter((document) => document.problem?.severity !== 'error')
      .filter(({ fields }) => {
        const isOwn = query.own !== undefined && [fields.author ?? []].flat().map(String).includes(query.own)
        return !query.live || isOwn || isLive(fields, statuses, this.#clock.now())
      })
      .filter((document) => (query.where ?? []).every((c) => matches(fieldOf(document, c.field, this.#status(document)), c)))
      .sort(orderHeads(query.sort ?? [], (head) => this.#status(head)))
  }

  #of(kind: Kind, held: Documents = this.#held): Document[] {
    return [...held.values()].map(({ document }) => document).filter((document) => document.key.kind === kind)
  }

  #status(head: Head): string {
    return statusAt(head.fields, this.#types.shape(head.key.kind).statuses, this.#clock.now())
  }

  async written(once: string): Promise<Document[] | undefined> {
    const done = this.#once.get(once)
    return done && done.at > this.#clock.now() - 86_400_000 ? done.documents : undefined
  }

  async write(changes: readonly Change[], by: Author, note: Note = {}): Promise<Document[]> {
    const before = note.once === undefined ? undefined : await this.written(note.once)
    if (before) return before
    const documents = this.#write(changes, by, note)
    if (note.once !== undefined) this.#once.set(note.once, { at: this.#clock.now(), documents })
    return documents
  }

  #write(changes: readonly Change[], by: Author, note: Note): Document[] {
    if (new Set(changes.map(({ key }) => isPrivate(key.kind))).size > 1) throw new Error('A batch is all content or all private.')
    const held = new Map(this.#held)
    const log: Key[] = []
    const blame = new Blame(changes)
    for (const change of changes) {
      try {
        log.push(...this.#apply(held, change))
      } catch (error) {
        blame.take(change, error)
      }
    }
    blame.settle()
    this.#log.push(...this.#told(held, changes, log, by, note))
    this.#remember(held, changes, log, by, note)
    this.#held = held
    for (const { kind } of log) this.#kinds.add(kind)
    if (log.length > 0) for (const listener of this.#listeners) listener()
    return changes.flatMap((change) => ('put' in change ? (held.get(keyText(change.key))?.document ?? []) : []))
  }

  #told(held: Documents, changes: readonly Change[], log: readonly Key[], by: Author, note: Note): Changed[] {
    const from = changes.map((change) => ('from' in change ? change.from : undefined)).find((key) => key !== undefined)
    const outcomes = [...new Map(log.map((key) => [keyText(key), key]))].map(([text, key]) => {
      return { key, before: sideOf(this.#held.get(text)), after: sideOf(held.get(text)) }
    })
    const made = outcomes.filter(({ before, after }) => before?.head.version !== after?.head.version)
    const at = this.#clock.now()
    return changesOf({ outcomes: made, by, note, from }).map((change) => ({ ...change, at }))
  }

  #remember(held: Map<string, Held>, changes: readonly Change[], log: readonly Key[], by: Author, note: Note): void {
    if (!this.#histories) return
    const before = this.#held
    const pasts = this.#histories
    for (const text of new Set(log.map(keyText))) {
      if (text.startsWith('.')) continue
      const from = changes
        .map((change) => ('from' in change && keyText(change.key) === text ? change.from : undefined))
        .find((origin) => origin && keyText(origin) !== text)
      const one = held.get(text)
      if (one === before.get(text)) continue
      const movedAway = changes.some(
        (change) => 'from' in change && change.from && keyText(change.from) === text && keyText(change.key) !== text,
      )
      const said = { number: 0, action: note.action, actions: note.actions, from: undefined }
      const effect = { isNew: !before.has(text), isGone: !one, owner: text }
      const action: Action = movedAway || from ? (note.action ?? 'moved') : actionOf(said, effect)
      const message = note.message ?? `${action} ${text}`
      const earlier = pasts.get(from ? keyText(from) : text) ?? []
      this.#keep(held, text, one, by, { ...note, action, message }, earlier)
    }
  }

  #keep(
    held: Map<string, Held>,
    text: string,
    one: Held | undefined,
    by: Author,
    note: { action: Action; message: string },
    earlier: readonly Kept[],
  ): void {
    const last = earlier.at(-1)?.revision.number ?? 0
    const number = Math.max(this.#clock.now(), last + 1)
    const at = new Date(number).toISOString()
    const version = one && { version: one.document.version }
    const revision = { number, at, action: note.action, by, message: note.message, ...version }
    const file = one ? fileOf(one.document.key, one.extension).replace('content/', '') : ''
    const list = [...earlier, { revision, held: one, file }]
    this.#histories = new Map(this.#histories).set(text, list)
    if (!one) return
    const { createdAt = list[0]?.revision.at ?? at, updatedAt = at } = one.document
    const isDated = one.document.createdAt === undefined || one.document.updatedAt === undefined
    const document = { ...one.document, createdAt, updatedAt, ...(isDated && { datedByHistory: true as const }) }
    held.set(text, { ...one, document })
  }

  async history(key: Key, { offset = 0, limit }: Part): Promise<Page<Revision> | undefined> {
    if (!this.#histories || isPrivate(key.kind)) return undefined
    const all = (this.#histories.get(keyText(key)) ?? []).map(({ revision }) => revision).reverse()
    return { items: all.slice(offset, limit === undefined ? undefined : offset + limit), total: all.length }
  }

  async at(key: Key, number: RevisionNumber): Promise<Document | undefined> {
    const kept = this.#histories?.get(keyText(key))?.find(({ revision }) => revision.number === number)
    if (!kept?.held) return undefined
    // Under the key it has now: what it does not say of itself, its name and its slug, is made of that.
    const { document } = this.#read(key, kept.held.bytes, kept.held.extension)
    const first = this.#histories?.get(keyText(key))?.[0]?.revision.at
    const { createdAt = first, updatedAt = kept.revision.at } = document
    return { ...document, ...(createdAt && { createdAt }), updatedAt, file: kept.file }
  }

  async past(kind: Kind, moment: PastMoment): Promise<PastList | undefined> {
    if (!this.#histories || isPrivate(kind)) return undefined
    if ('at' in moment && 'commit' in moment.at) throw new InvalidInput({ at: ['There are no commits.'] })
    const choice = new PastChoice(moment)
    for (const [text, all] of this.#histories) {
      const key = keyNamed(text)
      const links = all.map((mark) => ({ ...mark.revision, owner: mark.held?.document.key ?? key, mark })).reverse()
      if (key.kind === kind) choice.take({ key, links, isThere: this.#held.has(text) })
    }
    const heads: PastHead[] = []
    for (const { key, link, removedAt } of choice.all()) {
      const head = await this.at(key, link.number)
      if (!head || head.problem?.severity === 'error') continue
      heads.push({ head, number: link.number, at: link.at, ...(removedAt && { removedAt }) })
    }
    const time = 'at' in moment ? timeNamed(moment.at) : Number.POSITIVE_INFINITY
    return { heads, time }
  }

  #apply(held: Map<string, Held>, change: Change): Key[] {
    if ('remove' in change) return remove(held, change.key, change.expects)
    const { key, put, from: origin, expects, unique } = change
    const from = origin && keyText(origin) !== keyText(key) ? origin : undefined
    const start = held.get(keyText(from ?? key))
    checkStart(start, from ?? key, expects)
    if (origin && !start) throw new NotFound()
    if (from && held.has(keyText(key))) throw new Conflict(`"${key.id}" is taken.`)
    if (from || !start) this.#checkCase(held, key, from)
    for (const claim of unique ?? []) this.#checkClaim(held, key, from, claim)
    const { source, file, ...rest } = put
    const extension = start?.extension ?? file?.split('.').at(-1) ?? extensionOf(key)
    const bytes = editSource(this.#types.shape(key.kind), source ?? start?.bytes, { extension }, rest, key)
    if (!from && start?.bytes.equals(bytes)) return []
    const next = this.#read(key, bytes, extension)
    if (next.document.problem?.severity === 'error') throw new Unreadable(next.document.problem.message, next.document.problem)
    if (from) held.delete(keyText(from))
    held.set(keyText(key), next)
    return [...(from ? [from] : []), key]
  }

  #checkCase(held: Documents, key: Key, from: Key | undefined): void {
    const same = this.#of(key.kind, held).find((d) => d.key.id !== key.id && d.key.id.toLowerCase() === key.id.toLowerCase())
    if (same && same.key.id !== from?.id) throw new CaseConflict(key, same.key.id)
  }

  #checkClaim(held: Documents, key: Key, from: Key | undefined, { field, value }: Claim): void {
    const others = this.#of(key.kind, held).filter((d) => d.key.id !== key.id && d.key.id !== from?.id)
    const taken = others.some((d) => matches(fieldOf(d, field, this.#status(d)), { field, op: 'eq', value, as: 'text' }))
    if (taken) throw new Conflict(`The ${field} "${value}" is taken.`)
  }

  async latest({ offset = 0, limit = Number.POSITIVE_INFINITY }: Part): Promise<readonly Latest[] | undefined> {
    const last = [...(this.#histories ?? [])].flatMap(([text, all]) => {
      const revision = all.at(-1)?.revision
      const isAway = revision?.version === undefined && revision?.action === 'moved'
      return revision && !isAway ? { ...revision, key: keyNamed(text) } : []
    })
    last.sort((a, b) => compareText(b.at, a.at) || compareText(a.key.kind, b.key.kind) || compareText(a.key.id, b.key.id))
    return this.#histories && last.slice(offset, offset + limit)
  }

  async dated(): Promise<void> {}

  async misnamed(): Promise<undefined> {
    return undefined
  }

  async problems(kind?: Kind): Promise<Problem[]> {
    const found = [...this.#held.values()].filter(({ document }) => kind === undefined || document.key.kind === kind)
    return found.flatMap(({ document }) => document.problem ?? []).sort((a, b) => (a.file < b.file ? -1 : 1))
  }

  async changes(after: Cursor | undefined, limit: number): Promise<Feed> {
    const end = this.#log.length
    const isKnown = /^\d+$/.test(after ?? '') && Number(after) <= end
    const start = isKnown ? Number(after) : end
    const changes = this.#log.slice(start, start + limit)
    const sequence = start + changes.length
    return { changes, next: String(sequence), sequence, reset: !isKnown }
  }

  subscribe(listener: () => void): Unsubscribe {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async health(): Promise<Health> {
    return { ok: true, problems: [], details: { documents: this.#held.size } }
  }

  async close(): Promise<void> {
    this.#listeners.clear()
  }
}

/** An implementation of a `Ledger` in a Map. */
export class MemoryLedger implements Ledger {
  readonly #clock: Clock
  readonly #facts = new Map<string, Fact>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async put(name: string, value: Json, ttl: number): Promise<void> {
    this.#facts.set(name, { name, value, until: this.#clock.now() + ttl })
  }

  async take(name: string): Promise<Json | undefined> {
    const value = this.#living(name)?.value
    this.#facts.delete(name)
    return value
  }

  async add(name: string, n: number, ttl: number): Promise<number> {
    const before = this.#living(name)
    const sum = (typeof before?.value === 'number' ? before.value : 0) + n
    this.#facts.set(name, { name, value: sum, until: before?.until ?? this.#clock.now() + ttl })
    return sum
  }

  async addAll(counts: readonly Count[], ttl: number): Promise<number[]> {
    return Promise.all(counts.map(({ name, n }) => this.add(name, n, ttl)))
  }

  async peek(name: string): Promise<Json | undefined> {
    return this.#living(name)?.value
  }

  async *facts(): AsyncGenerator<Fact> {
    for (const name of [...this.#facts.keys()]) {
      const fact = this.#living(name)
      if (fact) yield fact
    }
  }

  async close(): Promise<void> {}

  #living(name: string): Fact | undefined {
    const fact = this.#facts.get(name)
    return fact && fact.until > this.#clock.now() ? fact : undefined
  }
}

function sideOf(held: Held | undefined) {
  return held && { head: held.document, bytes: held.bytes, file: fileOf(held.document.key, held.extension) }
}

function checkStart(start: Held | undefined, key: Key, expects: string | undefined): void {
  if (expects === 'absent' && start) throw new Conflict(`"${key.id}" is there already.`)
  if (expects !== undefined && expects !== 'absent' && start?.document.version !== expects) throw new Stale()
  const problem = start?.document.problem
  if (problem?.severity === 'error') throw new Unreadable(problem.message, problem)
}

function remove(held: Map<string, Held>, key: Key, expects: string | undefined): Key[] {
  const there = held.get(keyText(key))
  if (expects !== undefined && there?.document.version !== expects) throw new Stale()
  return held.delete(keyText(key)) ? [key] : []
}

function keyNamed(text: string): Key {
  const slash = text.lastIndexOf('/')
  return keyOf(text.slice(0, slash), text.slice(slash + 1))
}

function extensionOf({ kind }: Key): string {
  return isPrivate(kind) || kind === 'menus' || kind === 'settings' || kind === 'media' || kind.startsWith('taxonomy/')
    ? 'yaml'
    : 'md'
}

function fileOf(key: Key, extension: string): string {
  if (isPrivate(key.kind)) return `.cms/${key.kind.slice(1)}/${key.id}.${extension}`
  return `content/${key.kind}/${idToPath(key.id)}.${extension}`
}
