import { randomBytes } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Ledger } from '#core/ledger.ts'
import { underClaim } from '#http/guarding/claim.ts'
import type { QueryParams } from '#http/requests/query.ts'
import { askedBy } from '#http/requests/write-options.ts'
import { KeyedMutex } from '#lib/concurrency/keyed-mutex.ts'
import { Conflict, Failure, NotFound } from '#lib/errors.ts'
import type { Json } from '#lib/json.ts'
import type { Changed, Resource, Row } from '../../resource.ts'
import { type Panel, signedIn } from '../requests/panel.ts'
import { textOf } from '../requests/sent.ts'
import { addressWith } from './list-address.ts'
import { urlOf } from './list-view.ts'
import { mayRestore, mayTurnBack } from './restoring.ts'
import { isOwnNews, lastTwo, RECENT_MS, type Undo, undoOfRemoval } from './undo.ts'

/** One that was changed, with the title that it had. */
export type Acted = Changed & { readonly title: string }

/** The fact of an action on several: what it did, in words, and to which. */
type Done = { readonly words: string; readonly items: readonly Acted[] }

/** The fact of an undo: how many are as they were, and those that are not. */
type Undone = { readonly words: string; readonly left: readonly { id: string; title: string; why: string }[] }

/** The words for an action on several, with the form that takes it back, and what an undo left as it is. */
export interface News {
  readonly undo?: Undo | undefined
  /** Undefined where the word in the address is enough. */
  readonly words?: string | undefined
  readonly notices: readonly object[]
}

/** Milliseconds that a node has an undo to itself: longer than any request may take. */
const CLAIMED = 15_000

/** Most of those that an undo left that are named. */
const MOST_NAMED = 20

const CHANGED = 'was changed since'
const GONE = 'is not there any more'
const FAILED = 'is not as it was yet: something went wrong'
const NOT_YOURS = 'may not be changed by you any more'

/** Takes back what was done to several at once: for the session that did it, for a while, and where nobody has changed them since. */
export class UndoOfSeveral {
  readonly #panel: Panel
  readonly #mutex = new KeyedMutex()

  constructor(panel: Panel) {
    this.#panel = panel
  }

  /** Keeps what was done, and resolves with the parameters of the page that is to say so. */
  async keep(request: FastifyRequest, resource: Resource, items: readonly Acted[], words: string): Promise<QueryParams> {
    const token = randomBytes(12).toString('base64url')
    const done: Done = { words, items: items.map(({ id, title, was, version }) => ({ id, title, was, version })) }
    await this.#ledger.put(nameOf(request, resource, token), done as unknown as Json, RECENT_MS)
    return { undo: token }
  }

  /** Resolves with what a page says of an action on several that its address names; undefined where it names none of this session. */
  async news(resource: Resource, request: FastifyRequest): Promise<News | undefined> {
    const { undo: token = '' } = request.query as QueryParams
    if (request.method !== 'GET' || token === '' || token.length > 40) return undefined
    const name = nameOf(request, resource, token)
    const done = (await this.#ledger.peek(name)) as Done | undefined
    const undone = (await this.#ledger.peek(`${name}.undone`)) as Undone | undefined
    const isOffered = done !== undefined && done.items.length > 0 && (await resource.past?.isKept()) === true
    const undo = isOffered ? { undo: formOf(resource, token, request.url) } : {}
    if (undone) return { words: undone.words, notices: noticesOf(resource, undone), ...undo }
    return done && { words: done.words, notices: [], ...undo }
  }

  /**
   * Takes back what a form names; of a form that is sent twice, once. What fails for the server's sake stays to be taken back. Throws
   * Conflict where its time is over.
   */
  undo(resource: Resource, request: FastifyRequest): Promise<QueryParams> {
    const token = textOf(request, 'undo')
    const name = nameOf(request, resource, token)
    const begun = async (): Promise<Done | undefined> => {
      const done = (await this.#ledger.peek(name)) as Done | undefined
      if (done || (await this.#ledger.peek(`${name}.undone`)) !== undefined) return done
      throw new Conflict(
        'This can’t be undone any more: its time is over, or it is undone already. The history of each has its versions.',
      )
    }
    const first = async (): Promise<QueryParams> => {
      const done = await begun()
      return done ? this.#undoAll(resource, { name, token, done }, request) : { done: 'undone', undo: token }
    }
    const inHand = async (): Promise<QueryParams> => {
      if (await begun()) throw new Conflict('This is being undone just now. Open the list again in a moment.')
      return { done: 'undone', undo: token }
    }
    return this.#mutex.run(name, () => underClaim(this.#ledger, { name, life: CLAIMED }, first, inHand))
  }

  async #undoAll(
    resource: Resource,
    { name, token, done }: { readonly name: string; readonly token: string; readonly done: Done },
    request: FastifyRequest,
  ): Promise<QueryParams> {
    // Those that wait together are written together.
    const outcomes = await Promise.all(done.items.map((item) => this.#undoOne(resource, item, request)))
    const left = done.items.flatMap(({ id, title }, n) => {
      const why = outcomes[n]?.why
      return why === undefined ? [] : [{ id, title, why }]
    })
    const undone: Undone = { words: wordsOf(resource, done.items.length - left.length), left }
    await this.#ledger.put(`${name}.undone`, undone as unknown as Json, RECENT_MS)
    const failed = done.items.filter((_, n) => outcomes[n]?.error !== undefined)
    if (failed.length === 0) await this.#ledger.take(name)
    else await this.#ledger.put(name, { ...done, items: failed } as unknown as Json, RECENT_MS)
    const bug = outcomes.find(({ error }) => error !== undefined && !(error instanceof Failure))
    if (bug) throw bug.error
    return { done: left.length < done.items.length ? 'undone' : 'nothing', undo: token }
  }

  /** Makes one what it was; resolves with the reason where that can't be, and with the error where it can be tried again. */
  async #undoOne(resource: Resource, item: Acted, request: FastifyRequest): Promise<{ why?: string; error?: unknown }> {
    const { access } = signedIn(request)
    const { id, was, version } = item
    try {
      const row: Row | undefined = version === null ? undefined : await resource.get(access, id)
      if (row ? !mayTurnBack(resource, access, row) : !mayRestore(resource, access)) return { why: NOT_YOURS }
      const [last, before] = await lastTwo(resource, id, request)
      const isSame = row ? last?.current && row.version === version : last?.action === 'deleted' && this.#isOwn(last, request)
      if (!isSame || !before || (await resource.past?.one(access, id, before.ts))?.version !== was) return { why: CHANGED }
      const write = { asked: askedBy(request, undefined), base: row?.version ?? 'absent', isUndo: true }
      await resource.past?.rollback(access, id, before.ts, write)
      return {}
    } catch (error) {
      if (!(error instanceof Failure)) return { why: FAILED, error }
      if (error.status >= 500) return { why: `is not as it was yet: ${error.message}`, error }
      if (error instanceof NotFound) return { why: GONE }
      return { why: error.status === 412 ? CHANGED : `stays as it is: ${error.message}` }
    }
  }

  #isOwn(last: Parameters<typeof isOwnNews>[0], request: FastifyRequest): boolean {
    return isOwnNews(last, this.#panel, request)
  }

  get #ledger(): Ledger {
    return this.#panel.ledger
  }
}

/** The name of the fact: of this session, and this list. */
function nameOf(request: FastifyRequest, { name }: Resource, token: string): string {
  return `panel.undo.${signedIn(request).session.id}.${name}.${token}`
}

function formOf(resource: Resource, token: string, here: string): Undo {
  const fields = { _method: 'PUT', action: 'undo', undo: token, back: addressWith(here, { done: '', undo: '' }) }
  return { action: urlOf(resource), fields: Object.entries(fields).map(([name, value]) => ({ name, value })) }
}

function wordsOf({ label, singular }: Resource, count: number): string {
  if (count === 1) return `Undone: one ${singular} is as it was before.`
  return count === 0 ? 'Nothing was undone.' : `Undone: ${count} ${label.toLowerCase()} are as they were before.`
}

function noticesOf(resource: Resource, { left }: Undone): object[] {
  if (left.length === 0) return []
  const named = left.slice(0, MOST_NAMED).map(({ id, title, why }) => ({
    label: `“${title}” ${why}`,
    url: `${urlOf(resource)}/${encodeURIComponent(id)}/${why === GONE ? 'revisions' : 'edit'}`,
  }))
  const others = left.length > named.length ? ` ${left.length - named.length} more are not named here.` : ''
  const what = left.length === 1 ? `One ${resource.singular} was` : `${left.length} ${resource.label.toLowerCase()} were`
  return [{ tone: 'warn', title: `${what} not undone.`, text: `They stay as they are now.${others}`.trim(), links: named }]
}

/** Resolves with what a list says of what was done before it: to several of it, or to one that was removed. */
export async function newsOf(panel: Panel, resource: Resource, request: FastifyRequest): Promise<News> {
  const ofSeveral = await new UndoOfSeveral(panel).news(resource, request)
  return ofSeveral ?? { undo: await undoOfRemoval(panel, resource, request), notices: [] }
}
