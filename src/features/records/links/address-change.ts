import { isDeepStrictEqual } from 'node:util'
import type { Access } from '#core/access.ts'
import type { Document, Head } from '#core/document.ts'
import { keyText } from '#core/key.ts'
import { aliasesOf, urlOf } from '#core/permalink.ts'
import type { Note } from '#core/revision.ts'
import { isLive } from '#core/status.ts'
import type { Change, Put } from '#core/store.ts'
import { Conflict, Stale } from '#lib/errors.ts'
import type { Json } from '#lib/json.ts'
import type { Deps } from '../parts.ts'
import { namingTwin } from '../twins.ts'
import type { Other } from './following.ts'
import type { Going } from './relinker.ts'

type OwnChange = Extract<Change, { put: Put }>

/**
 * The effects of a record's new address, as far as the reader may know: the number of documents that were rewritten to follow it,
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
  readonly note: Note
}

const TRIES = 10

/** The changes that are written together: the record's own, and those that follow it. */
interface Batch {
  readonly own: Change
  readonly others: readonly Other[]
  readonly left: readonly string[]
}

/**
 * Writes a change of a record. Where the address of a live one changes by it, the old one becomes an alias, and what leads to it
 * follows in the same write; so do references and links to its file where its key changes. Gives the record as it then is. Throws
 * as `Addresses.take`.
 */
export async function writeAt(deps: Deps, access: Access, wish: AddressChange): Promise<{ document: Document } & Followed> {
  const write = () => writeThere(deps, access, wish)
  return namingTwin(deps, access, () => deps.addresses.take(access, wish.going, write))
}

async function writeThere(deps: Deps, access: Access, wish: AddressChange): Promise<{ document: Document } & Followed> {
  const { going, note } = wish
  const change = withAlias(deps, wish)
  for (let tries = 1; ; tries++) {
    try {
      const batch = isElsewhere(deps, going) ? await planned(deps, access, wish, change) : { own: change, others: [], left: [] }
      return await writeBatch(deps, access, note, batch)
    } catch (error) {
      // What others wrote meanwhile is looked at again; the record itself is the concern of the caller.
      const isOthers = error instanceof Stale && (await deps.store.get(going.before.key))?.version === going.before.version
      if (!isOthers || tries === TRIES) throw error
    }
  }
}

async function planned(deps: Deps, access: Access, { going, hasBody }: AddressChange, change: OwnChange): Promise<Batch> {
  const { own, others, left } = await (await deps.relinker()).plan(access, going)
  const set = { ...own.set, ...change.put.set }
  return { own: hasBody ? change : { ...change, put: { ...own, ...change.put, set } }, others, left }
}

/**
 * Writes a batch. If one of the other changes conflicts, leaves out those that would change front matter: a link can always be
 * rewritten, a value not. If that fails too, writes the record alone.
 */
async function writeBatch(
  deps: Deps,
  access: Access,
  note: Note,
  { own, others, left }: Batch,
): Promise<{ document: Document } & Followed> {
  const plain = others.filter(({ change }) => !('put' in change) || change.put.set === undefined)
  const some = [others, plain, []].filter((list, n, all) => n === 0 || list.length < (all[n - 1]?.length ?? 0))
  for (const [n, list] of some.entries()) {
    try {
      const [document] = await deps.store.write([own, ...list.map(({ change }) => change)], access.author, note)
      if (!document) throw new Error('The store gave no document back for a change.')
      const taken = new Set(list)
      const dropped = others.filter((other) => !taken.has(other))
      return { document, rewritten: named(list).length, left: [...left, ...named(dropped)] }
    } catch (error) {
      if (!(error instanceof Conflict) || n === some.length - 1) throw error
    }
  }
  throw new Error('There is always the change of the record alone.')
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
