import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Version } from '#core/document.ts'
import type { Field } from '#core/types/content-type.ts'
import type { Fields, Json } from '#lib/json.ts'
import { withLineEndings } from '#lib/text/line-endings.ts'
import type { Resource, Row } from '../../resource.ts'
import { keepSent } from '../autosaves/keeping-sent.ts'
import { type Choice, Meeting, type Place } from '../comparing/meeting.ts'
import { sentOf } from '../comparing/own-text.ts'
import type { FormFields, FormValue } from '../forms/form-values.ts'
import { groupOf } from '../forms/lists.ts'
import { RecordForm } from '../forms/record-form.ts'
import { momentWithin } from '../rendering/days.ts'
import { type Panel, signedIn } from '../requests/panel.ts'
import { sentOf as formSent, keptOf } from '../requests/sent.ts'
import { type ConflictShown, conflictView, type Picked } from './conflict-view.ts'
import { fieldsOf } from './form-view.ts'

/** Two edits of one thing. */
export interface EditsOf {
  /** It as the other edit left it. */
  readonly row: Row
  /** Its values before both; undefined where they are not known any more. */
  readonly before: Readonly<Fields> | undefined
  readonly set: Readonly<Fields>
  /** Names of fields that are known to meet. */
  readonly named: readonly string[]
  /** The version that the edit began from. */
  readonly from: Version
  /** The fields that they meet in, where these are not those of its form. */
  readonly fields?: readonly Field[]
}

/** The page on which two edits that meet are settled. */
export class ConflictPages {
  readonly #panel: Panel

  constructor(panel: Panel) {
    this.#panel = panel
  }

  /** Shows where they meet, with the answers that were sent already. */
  async send(
    resource: Resource,
    edits: EditsOf,
    request: FastifyRequest,
    reply: FastifyReply,
    { status, errors }: { readonly status: number; readonly errors: readonly string[] },
  ): Promise<FastifyReply> {
    const { access } = signedIn(request)
    const { row, from, fields = fieldsOf(resource, access, row) } = edits
    await keepSent(this.#panel, resource, { id: row.id, title: row.title, base: from || undefined }, request)
    const meeting = this.#meeting(edits, request)
    const data = conflictView({
      ...{ resource, row, meeting, fields, from, errors },
      zone: this.#panel.site.timezone,
      sent: keptOf(request),
      pickedAt: (place) => pickedAt(request, place.name, place.part),
      other: await this.#lastOf(resource, row, request),
    })
    return this.#panel.pages.send(request, reply, {
      template: 'conflict',
      title: `Settle two edits · ${row.title}`,
      status,
      data,
    })
  }

  async #lastOf({ past }: Resource, { id }: Row, request: FastifyRequest): Promise<ConflictShown['other']> {
    if (!past || !(await past.isKept())) return undefined
    const [last] = (await past.list(signedIn(request).access, id, { per_page: '1' })).data
    const { site, clock } = this.#panel
    const telling = { locale: site.locale, timezone: site.timezone, now: clock.now() }
    return last && { name: last.author.name, at: momentWithin(last.created_at, telling) }
  }

  /** Returns what is to be set by the answers that were sent; else what is missing or wrong with them. */
  settle(
    resource: Resource,
    edits: EditsOf,
    request: FastifyRequest,
  ): { readonly set: Fields } | { readonly errors: readonly string[] } {
    const { access } = signedIn(request)
    const { row } = edits
    const fields = fieldsOf(resource, access, row)
    const meeting = this.#meeting(edits, request)
    const wrong: string[] = []
    const { set, open } = meeting.settled((place) => {
      const { side, own } = pickedAt(request, place.name, place.part)
      if (side === 'mine' || side === 'theirs') return { is: side }
      if (side !== 'own' || own === undefined) return undefined
      return this.#own(
        row,
        fields.find(({ name }) => name === place.name),
        place,
        own,
        wrong,
      )
    })
    if (open.length > 0 || wrong.length > 0) return { errors: [...wrong, ...(open.length > 0 ? [leftWords(open.length)] : [])] }
    return { set }
  }

  #own(row: Row, field: Field | undefined, place: Place, own: string, wrong: string[]): Choice {
    if (place.part !== undefined) return { is: 'own', value: withLineEndings(own, String(place.yours) || String(place.theirs)) }
    if (!field) return undefined
    const record: Fields = { ...row.values, [field.name]: place.yours }
    const form = new RecordForm({ fields: [field], record, zone: this.#panel.site.timezone })
    const { set, errors } = form.read(sentOf(field, place.yours, own))
    wrong.push(...Object.values(errors).flat())
    const value: Json = Object.hasOwn(set, field.name) ? (set[field.name] ?? null) : place.yours
    return { is: 'own', value }
  }

  #meeting({ before, set, row, named }: EditsOf, request: FastifyRequest): Meeting {
    return new Meeting({ before, set, theirs: row.values, named: [...named, ...answeredIn(request)] })
  }
}

/** Returns the names of the fields to which an answer came with a request. */
export function answeredIn(request: FastifyRequest): string[] {
  return Object.keys(groupOf(formSent(request)?.values._settle) ?? {})
}

/** Returns the answer to a place that came with a request: to a field, or to a part of the body. */
export function pickedAt(request: FastifyRequest, name: string, part?: number): Picked {
  const values = formSent(request)?.values ?? {}
  const at = (kind: FormValue | undefined) => {
    const one = own(groupOf(kind), name)
    return part === undefined ? one : own(groupOf(one), String(part))
  }
  const [side, text] = [at(values._settle), at(values._own)]
  return { side: typeof side === 'string' ? side : '', own: typeof text === 'string' ? text : undefined }
}

function own(group: FormFields | undefined, name: string): FormValue | undefined {
  return group && Object.hasOwn(group, name) ? group[name] : undefined
}

/** Says how many places have no answer yet. */
export function leftWords(count: number): string {
  return `Pick a side for each place: ${count === 1 ? 'one is' : `${count} are`} left.`
}
