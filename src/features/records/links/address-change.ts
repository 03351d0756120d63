import { isDeepStrictEqual } from 'node:util'
import type { Access } from '#core/access/access.ts'
import { aliasesOf } from '#core/aliases.ts'
import type { Document, Head } from '#core/document.ts'
import type { Note } from '#core/history/revision.ts'
import { keyText } from '#core/key.ts'
import { urlOf } from '#core/permalink.ts'
import { isLive } from '#core/status.ts'
import type { Change, Put } from '#core/store.ts'
import { Conflict, Stale } from '#lib/errors.ts'
import type { Json } from '#lib/json.ts'
import type { Deps } from '../parts.ts'
import { namingTwin } from '../writing/twins.ts'
import type { Other } from './following.ts'
import type { Going } from './relinker.ts'

/** A change that puts a document. */
export type OwnChange = Extract<Change, { put: Put }>

/**
 * The effects of records' new addresses, as far as the reader may know: the number of documents that were rewritten to follow,
 * and those that could not be.
 */
export interface Followed {
  readonly rewritten: number
  readonly left: readonly string[]
}

/** A change of a record, and whether its old address stays one that leads to it. */
export interface AddressChange {
  readonly going: Going
  readonly change: OwnChange
  /** True if its body was sent, or is the one it had at this address. It is then written as it is. */
  readonly hasBody: boolean
  /** True if the record becomes what it was. Addresses that lead to it now keep leading to it, beside those that did then. */
  readonly isReturn?: boolean
  readonly redirect: boolean
}

/** Records as a write left them, in the order of their changes, and what followed them. */
export interface Written extends Followed {
  readonly documents: readonly Document[]
}

const TRIES = 10

/** The changes that are written together: documents' own, and those that follow them. */
export interface Batch {
  readonly own: readonly OwnChange[]
  readonly others: readonly Other[]
  readonly left: readonly string[]
}

/** Writes a change of a record, as `writeAll`. Gives the record as it then is. Throws as `Addresses.take`. */
export async function writeAt(
  deps: Deps,
  access: Access,
  wish: AddressChange,
  note: Note,
): Promise<{ document: Document } & Followed> {
  const write = () => writeAll(deps, access, [wish], note)
  const { documents, ...followed } = await namingTwin(deps, access, () => deps.addresses.take(access, wish.going, write))
  const [document] = documents
  if (!document) throw new Error('The store gave no document back for a change.')
  return { document, ...followed }
}

/**
 * Writes changes of records as one; the caller has their addresses. Where that of a live one changes by it, the old one becomes
 * an alias, and what leads to it follows in the same write; so do references and links to its file where its key changes.
 */
export async function writeAll(deps: Deps, access: Access, wishes: readonly AddressChange[], note: Note): Promise<Written> {
  const own = wishes.map((wish) => withAlias(deps, wish))
  for (let tries = 1; ; tries++) {
    try {
      const isAnyElsewhere = wishes.some(({ going }) => isElsewhere(deps, going))
      const batch = isAnyElsewhere ? await planned(deps, access, wishes, own) : { own, others: [], left: [] }
      return await writeBatch(deps, access, note, batch)
    } catch (error) {
      // What others wrote meanwhile is looked at again; the records themselves are the concern of the caller.
      if (!(error instanceof Stale) || !(await areAsBefore(deps, wishes)) || tries === TRIES) throw error
    }
  }
}

async function areAsBefore({ store }: Deps, wishes: readonly AddressChange[]): Promise<boolean> {
  for (const { going } of wishes) {
    if ((await store.get(going.before.key))?.version !== going.before.version) return false
  }
  return true
}

async function planned(
  deps: Deps,
  access: Access,
  wishes: readonly AddressChange[],
  changes: readonly OwnChange[],
): Promise<Batch> {
  const goings = wishes.map(({ going }) => going)
  const { own, others, left } = await (await deps.relinker()).plan(access, goings)
  const relinked = changes.map((change, n): OwnChange => {
    const wish = wishes[n]
    const text = wish && !wish.hasBody ? own.get(keyText(wish.going.before.key)) : undefined
    return text ? { ...change, put: { ...text, ...change.put, set: { ...text.set, ...change.put.set } } } : change
  })
  return { own: relinked, others, left }
}

/**
 * Writes a batch. If one of the other changes conflicts, leaves out those that would change front matter: a link can always be
 * rewritten, a value not. If that fails too, writes the documents' own alone.
 */
export async function writeBatch(
  { store }: Pick<Deps, 'store'>,
  access: Access,
  note: Note,
  { own, others, left }: Batch,
): Promise<Written> {
  const plain = others.filter(({ change }) => !('put' in change) || change.put.set === undefined)
  const some = [others, plain, []].filter((list, n, all) => n === 0 || list.length < (all[n - 1]?.length ?? 0))
  for (const [n, list] of some.entries()) {
    try {
      const documents = await store.write([...own, ...list.map(({ change }) => change)], access.author, note)
      const taken = new Set(list)
      const dropped = others.filter((other) => !taken.has(other))
      return { documents: documents.slice(0, own.length), rewritten: named(list).length, left: [...left, ...named(dropped)] }
    } catch (error) {
      if (!(error instanceof Conflict) || n === some.length - 1) throw error
    }
  }
  throw new Error('There is always the change of the records alone.')
}

function named(others: readonly Other[]): string[] {
  return others.flatMap(({ name }) => name ?? [])
}

/**
 * Returns whether links may have to be rewritten: the record gets another key, a live one gets another address, or its own links
 * start from another folder.
 */
function isElsewhere({ clock }: Deps, { type, before, after }: Going): boolean {
  if (keyText(before.key) !== keyText(after.key)) return true
  const [from, to] = [urlOf(type, before), urlOf(type, after)]
  if (from === null || to === null || from === to) return false
  return isLive(before.fields, type.statuses, clock.now()) || folderOf(from) !== folderOf(to)
}

/** The change with the address that a live record had among its aliases, as long as it has a page, and without that it gets. */
function withAlias({ clock }: Deps, { going, change, redirect, isReturn }: AddressChange): OwnChange {
  const { type, before, after } = going
  const [from, to] = [urlOf(type, before), urlOf(type, after)]
  if (from === null || to === null || !isLive(before.fields, type.statuses, clock.now())) return change
  if (from === to && !isReturn) return change
  const move = { from, to }
  const list = listOf(after)
  const kept = isReturn ? returning(list, redirect ? listOf(before) : [], move) : staying(list, from, move)
  const aliases = redirect && from !== to ? [...kept, from] : kept
  if (isDeepStrictEqual(aliases, list)) return change
  return { ...change, put: { ...change.put, set: { ...change.put.set, aliases } } }
}

function listOf({ fields }: Head): Json[] {
  return [fields.aliases ?? []].flat()
}

interface AddressPair {
  readonly from: string
  readonly to: string
}

/**
 * The aliases of a record that had the address `page`, without what is an address of its own. One that starts from the page's
 * folder goes on to mean what it meant.
 */
function staying(list: readonly Json[], page: string, { from, to }: AddressPair): Json[] {
  const isSame = folderOf(page) === folderOf(to)
  return list.flatMap((alias): Json[] => {
    if (typeof alias !== 'string') return [alias]
    const path = pathOf(alias, page)
    return path === to || path === from || alias === from ? [] : [isSame || alias.startsWith('/') ? alias : path]
  })
}

/** The aliases that were, and of those there are now the ones that lead from somewhere else. */
function returning(then: readonly Json[], now: readonly Json[], move: AddressPair): Json[] {
  const kept = move.from === move.to ? [...then] : staying(then, move.to, move)
  const paths = new Set(kept.map((alias) => pathOf(alias, move.to)))
  const more = staying(now, move.from, move).filter((alias) => typeof alias === 'string' && !paths.has(pathOf(alias, move.to)))
  return [...kept, ...more]
}

/** Returns the path that an alias of a page leads from. An alias that is no path elsewhere is returned as it is. */
function pathOf(alias: Json, page: string): Json {
  const [path] = aliasesOf({ fields: { aliases: alias } }, page)
  return path ?? alias
}

function folderOf(url: string): string {
  return url.slice(0, url.lastIndexOf('/'))
}
