import type { Access } from '#core/access/access.ts'
import type { Asked } from '#core/history/revision.ts'
import type { Key } from '#core/key.ts'
import { checkLookups, claimsOf } from '#core/queries/lookups.ts'
import { withNames } from '#core/terms/names.ts'
import type { ContentType } from '#core/types/content-type.ts'
import { cacheKey } from '#lib/cache-key.ts'
import { Conflict, Unreadable } from '#lib/errors.ts'
import type { Fields } from '#lib/json.ts'
import { firstFree } from '#lib/text/first-free.ts'
import { slugify } from '#lib/text/slug.ts'
import type { Deps, RecordAnswer } from '../parts.ts'
import { mustHold } from '../rights.ts'
import { noteOf } from './commit-messages.ts'
import { readNew, type Sent, withPaths } from './input.ts'
import { type NewKeys, newKeys } from './new-id.ts'
import { checkNew, signed } from './new-rights.ts'
import { mustPass } from './other-checks.ts'
import { checkReadsAs, checkStatusMove, publishingStamp } from './status-moves.ts'
import { firstStatus } from './stored-status.ts'
import { namingTwin } from './twins.ts'

/** Number of times to look for a free name again after another caller took it in between. */
const TRIES = 20

/** A record of which type is made, for whom, and for which request. */
interface Whose {
  readonly access: Access
  readonly type: ContentType
  readonly asked: Asked | undefined
}

/** Makes new records. */
export class Creator {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async create(access: Access, typeName: string, input: Fields, asked?: Asked): Promise<RecordAnswer> {
    const { registry, clock, mutex } = this.#deps
    const type = registry.named(access, typeName)
    mustHold(access, 'content:write', typeName)
    await registry.mustExist(access, type)
    const { input: whole, type: checked } = signed(access, type, input)
    const sent = withPaths(checked, readNew(checked, whole), this.#deps.media())
    checkNew(access, type, sent)
    const status = sent.fields.status ?? firstStatus(type)
    const fields: Fields = { ...sent.fields, status }
    Object.assign(fields, publishingStamp(type, undefined, fields, clock.now()))
    checkReadsAs(checked, whole.status, fields, clock.now())
    checkStatusMove(access, type, undefined, fields)
    await checkLookups(this.#deps, access, checked, fields, undefined)
    await mustPass(this.#deps, access, { action: 'create', type: typeName, id: undefined, fields, body: sent.body })
    // Many that want one name would take it from each other again and again; others need not wait.
    const name = typeof fields.slug === 'string' ? fields.slug : slugify(String(fields.title))
    return mutex.run(cacheKey('create', typeName, name), () => this.#place({ access, type, asked }, fields, sent))
  }

  /** A name that turns out to be taken, by one that came meanwhile or one that differs in case only, is not tried again. */
  async #place(whose: Whose, fields: Fields, sent: Sent): Promise<RecordAnswer> {
    const taken = new Set<string>()
    for (;;) {
      const { slug, key } = await this.#free(whose, fields, taken)
      try {
        return await this.#write(whose, key, { ...fields, slug }, sent)
      } catch (error) {
        // Of two files for the id that was not asked for, neither can be read.
        const isOdd = error instanceof Unreadable && taken.size === 0
        const isTaken = isOdd || (error instanceof Conflict && !isOfOther(error))
        if (!isTaken || typeof fields.slug === 'string' || taken.size === TRIES) throw error
        taken.add(slug)
      }
    }
  }

  async #write({ access, type, asked }: Whose, key: Key, fields: Fields, sent: Sent): Promise<RecordAnswer> {
    const { body, termNames = {} } = sent
    const put = { set: ordered(withNames(fields, termNames)), ...(body !== undefined && { body }) }
    const unique = [{ field: 'slug', value: String(fields.slug) }, ...claimsOf(type, fields)]
    const note = noteOf('created', key, asked)
    const { addresses, store } = this.#deps
    const make = () => store.write([{ key, put, expects: 'absent', unique }], access.author, note)
    const [document] = await namingTwin(this.#deps, access, () => addresses.take(access, { type, after: { key, fields } }, make))
    if (!document) throw new Error('The store gave no document back for a new record.')
    return { document, ...this.#deps.renderer.render(type, document) }
  }

  async #free({ access, type }: Whose, fields: Fields, taken: ReadonlySet<string>): Promise<{ slug: string; key: Key }> {
    const mayBeIndex = access.may('content:write', type.name)
    const keys = newKeys(type, fields, { now: this.#deps.clock.now(), mayBeIndex })
    if (typeof fields.slug === 'string') return this.#sentSlug(type, fields.slug, keys)
    const at = (n: number) => {
      const slug = keys.slugFor(String(fields.title), n)
      return slug === undefined ? undefined : { slug, key: keys.key(keys.segment(slug)) }
    }
    const n = await firstFree(async (n) => {
      const named = at(n)
      if (!named || taken.has(named.slug) || (await this.#hasSlug(type, named.slug))) return true
      // The write looks for itself whether there is one: to ask before is worth it only where there was.
      return taken.size > 0 && (await this.#deps.store.get(named.key)) !== undefined
    })
    const free = at(n)
    if (!free) throw new Error('A name that is free is one.')
    return free
  }

  /** The slug is the sender's word, and refused where it is taken; an id that only transliterating makes may be numbered. */
  async #sentSlug(type: ContentType, slug: string, keys: NewKeys): Promise<{ slug: string; key: Key }> {
    if (await this.#hasSlug(type, slug)) throw new Conflict(`The slug "${slug}" is taken.`)
    const segment = keys.segment(slug)
    const at = (n: number) => keys.key(n === 1 ? segment : keys.numbered(segment, n))
    const n = await firstFree(async (n) => {
      const isTaken = (await this.#deps.store.get(at(n))) !== undefined
      if (isTaken && segment === slug) throw new Conflict(`The id "${at(n).id}" is taken.`)
      return isTaken
    })
    return { slug, key: at(n) }
  }

  async #hasSlug(type: ContentType, slug: string): Promise<boolean> {
    const where = [{ field: 'slug', op: 'eq' as const, value: slug, as: 'text' as const }]
    const { total } = await this.#deps.store.heads(type.name, { where, limit: 0 })
    return total > 0
  }
}

/** Returns whether a conflict is about a field that was sent, such as the permalink: another name would not help. */
function isOfOther({ conflict }: Conflict): boolean {
  return conflict !== undefined && 'field' in conflict && conflict.field !== 'slug' && conflict.field !== 'id'
}

/** Puts the fields that a reader looks for first at the start of a new file. */
function ordered({ title, slug, status, ...rest }: Fields): Fields {
  const first = Object.entries({ title, slug, status }).filter(([, value]) => value !== undefined)
  return { ...(Object.fromEntries(first) as Fields), ...rest }
}
