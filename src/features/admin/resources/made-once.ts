import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { underClaim } from '#http/guarding/claim.ts'
import { KeyedMutex } from '#lib/concurrency/keyed-mutex.ts'
import { Conflict } from '#lib/errors.ts'
import type { Resource, Row } from '../../resource.ts'
import { type Panel, signedIn } from '../requests/panel.ts'
import { keptOf } from '../requests/sent.ts'

/** Milliseconds in which a form that comes again is the same one: a double click, or a page that is sent anew. */
const LIFE = 60_000

/** Milliseconds that a node has a form to itself: longer than any request may take. */
const CLAIMED = 15_000

/** A new thing; `wasSecret` where it has a secret, which the row that was made first alone has. */
export interface Made {
  readonly row: Row
  readonly wasSecret: boolean
}

/** Makes one thing of a form that is sent twice, on whichever nodes. */
export class MadeOnce {
  readonly #panel: Panel
  readonly #mutex = new KeyedMutex()

  constructor(panel: Panel) {
    this.#panel = panel
  }

  /** Makes it, or finds the one that the same form of this session has made a moment ago. */
  run(resource: Resource, request: FastifyRequest, make: () => Promise<Row>): Promise<Made> {
    const { ledger } = this.#panel
    const { session, access } = signedIn(request)
    const sent = JSON.stringify([session.id, resource.name, keptOf(request)])
    const name = `panel.made.${createHash('sha256').update(sent).digest('hex')}`
    const look = async (): Promise<Made | undefined> => {
      const known = (await ledger.peek(name)) as { readonly id: string; readonly wasSecret: boolean } | undefined
      const row = known && (await resource.get(access, known.id).catch(() => undefined))
      return row && { row, wasSecret: known.wasSecret }
    }
    const first = async (): Promise<Made> => {
      const made = await look()
      if (made) return made
      const row = await make()
      const wasSecret = row.secret !== undefined
      await ledger.put(name, { id: row.id, wasSecret }, LIFE)
      return { row, wasSecret }
    }
    const inHand = async (): Promise<Made> => {
      const made = await look()
      if (made) return made
      throw new Conflict('This form was sent twice, and is being saved just now. Send it again in a moment: one is made of it.')
    }
    return this.#mutex.run(name, () => underClaim(ledger, { name, life: CLAIMED }, first, inHand))
  }
}
