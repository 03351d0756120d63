import type { FastifyRequest } from 'fastify'
import type { Access } from '#core/access.ts'
import type { Resource, Row } from '../../resource.ts'
import { formValues } from '../forms/form-values.ts'
import { dateText } from '../rendering/date-formats.ts'
import { momentOf, type Telling } from '../rendering/moments.ts'
import type { Signed } from '../rendering/pages.ts'
import { type Panel, signedIn } from '../requests/panel.ts'
import { formOf } from '../resources/form-view.ts'
import type { Autosaves, Keeper, KeptHead, Place } from './autosaves.ts'
import type { KeptText } from './kept-text.ts'

const MOST_LINES = 10

/** The parameters by which a form begins with what was kept: `kept`, and `of`, the id of a record that is gone. */
interface KeptParams {
  readonly kept?: string
  readonly of?: string
}

/** The keeper of what a user types. */
export function keeperOf({ user, access }: Signed): Keeper {
  return { id: user.id, author: access.author }
}

/** The address of the page that shows what is kept of a form. */
export function keptUrl(place: Place, page = '/kept'): string {
  const type = place.resource.replace(/^content\//, '')
  const path = [type, place.id ?? 'new'].map(encodeURIComponent).join('/')
  return `/admin/autosave/${path}${page}${place.id === 'new' ? '?record' : ''}`
}

/** Finds what is kept of the form that a request opens: to be used where its address says so, else to be offered. */
export async function keptTextOf(
  panel: Panel,
  resource: Resource,
  row: Row | undefined,
  request: FastifyRequest,
): Promise<KeptText | undefined> {
  if (resource.layout !== 'desk' || request.method !== 'GET') return undefined
  const { user, access } = signedIn(request)
  const { kept: isUsed, of } = request.query as KeptParams
  const place = { resource: resource.name, id: row?.id ?? of }
  const kept = await panel.autosaves.find(user.id, place)
  if (!kept) return undefined
  const sent = formValues(kept.pairs)
  const told = timeOf(kept, { ...panel.site, now: panel.clock.now() })
  if (isUsed !== undefined) {
    const start =
      row && kept.base !== undefined && kept.base !== row.version ? await resource.inVersion?.(access, row.id, kept.base) : row
    return {
      used: { sent, base: kept.base, start: start ?? row },
      keeping: { tone: 'good', text: `Kept ${told}, not saved yet` },
    }
  }
  // A save and the last keeping may have crossed: what the record says already is no news.
  if (row && Object.keys(formOf(resource, access, row, panel.site).read(sent).set).length === 0) return undefined
  const changed = row && kept.base !== undefined && kept.base !== row.version
  return {
    notice: {
      tone: 'info',
      title: 'You typed words here that were never saved.',
      text: `They were kept ${told}.${changed ? ` This ${resource.singular} was changed since.` : ''}`,
      links: [{ label: row ? 'See what differs, and use them' : 'Look at them, and go on with them', url: keptUrl(place) }],
    },
  }
}

/** Tells when a text was kept: "10:41", "yesterday 23:14". */
export function timeOf({ at }: Pick<KeptHead, 'at'>, telling: Telling): string {
  const day = momentOf(at, telling)?.short ?? ''
  const time = dateText('clock', at, telling)
  return day === time ? time : `${day === 'Yesterday' ? 'yesterday' : day} ${time}`
}

/** The texts of a reader that were kept, as lines of the dashboard: those of resources that they see. */
export async function keptLines(autosaves: Autosaves, access: Access, seen: readonly Resource[]): Promise<object[]> {
  const kept = access.user === undefined ? [] : await autosaves.of(access.user)
  return kept.slice(0, MOST_LINES).flatMap((one) => {
    const resource = seen.find(({ name }) => name === one.resource)
    if (!resource) return []
    const title = one.title || `A new ${resource.singular}`
    return [{ icon: 'pencil', title, url: keptUrl(one), note: `${resource.label}, kept and never saved`, at: one.at }]
  })
}
