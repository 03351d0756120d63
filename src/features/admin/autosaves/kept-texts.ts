import type { FastifyRequest } from 'fastify'
import type { Access } from '#core/access/access.ts'
import type { Resource, Row } from '../../resource.ts'
import { formValues } from '../forms/form-values.ts'
import { dateText } from '../rendering/date-formats.ts'
import { momentOf, type Telling } from '../rendering/moments.ts'
import type { Signed } from '../rendering/pages.ts'
import { type Panel, signedIn } from '../requests/panel.ts'
import { formOf } from '../resources/form-view.ts'
import type { Autosaves, Keeper, KeptHead } from './autosaves.ts'
import type { KeptText } from './kept-text.ts'

const MOST_LINES = 10
/** The most texts that a form offers. */
const MOST_OFFERED = 5

/**
 * The parameters by which a form begins with what was kept: `kept`, the id of the form that it was typed into, and `of`, the id of a
 * record that is gone.
 */
interface KeptParams {
  readonly kept?: string
  readonly of?: string
}

/** The keeper of what a user types. */
export function keeperOf({ user, access }: Signed): Keeper {
  return { id: user.id, author: access.author }
}

/** The address of the page that shows what is kept of a form. */
export function keptUrl({ resource, id, form }: Pick<KeptHead, 'resource' | 'id' | 'form'>, page = '/kept'): string {
  const type = resource.replace(/^content\//, '')
  const path = [type, id ?? 'new'].map(encodeURIComponent).join('/')
  return `/admin/autosave/${path}${page}?form=${form}${id === 'new' ? '&record' : ''}`
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
  const { kept: asked, of } = request.query as KeptParams
  const place = { resource: resource.name, id: row?.id ?? of }
  const kept = asked === undefined ? undefined : await panel.autosaves.find(user.id, place, asked)
  if (!kept) return { notice: await noticeOf(panel, resource, row, request) }
  const start =
    row && kept.base !== undefined && kept.base !== row.version ? await resource.inVersion?.(access, row.id, kept.base) : row
  return {
    used: { form: kept.form, sent: formValues(kept.pairs), base: kept.base, start: start ?? row },
    keeping: keepingOf(kept, panel),
  }
}

/** Returns what a form says of its state after it was kept. */
export function keepingOf(kept: Pick<KeptHead, 'at'>, { site, clock }: Panel): object {
  return { tone: 'good', text: `Kept ${timeOf(kept, { ...site, now: clock.now() })}, not saved yet` }
}

/** Returns the notice that offers what is kept of the forms of a record, or of new ones. */
async function noticeOf(
  panel: Panel,
  resource: Resource,
  row: Row | undefined,
  request: FastifyRequest,
): Promise<object | undefined> {
  const { user } = signedIn(request)
  const all = await panel.autosaves.at(user.id, { resource: resource.name, id: row?.id })
  const found = await Promise.all(all.slice(0, MOST_OFFERED).map((kept) => isNews(panel, resource, row, kept, request)))
  const offered = all.filter((_, n) => found[n])
  const [first, ...others] = offered
  if (!first) return undefined
  const told = (kept: KeptHead) => timeOf(kept, { ...panel.site, now: panel.clock.now() })
  const isChanged = row && offered.some(({ base }) => base !== undefined && base !== row.version)
  const label = row ? 'See what differs, and use them' : 'Look at them, and go on with them'
  const links =
    others.length === 0
      ? [{ label, url: keptUrl(first) }]
      : offered.map((kept) => ({ label: `${kept.title || 'Without a title'}, kept ${told(kept)}`, url: keptUrl(kept) }))
  const when = others.length === 0 ? `They were kept ${told(first)}.` : 'Look at each, and go on with it or throw it away.'
  return {
    tone: 'info',
    title: 'You typed words here that were never saved.',
    text: `${when}${isChanged ? ` This ${resource.singular} was changed since.` : ''}${all.length > MOST_OFFERED ? ' Older ones are on the dashboard.' : ''}`,
    links,
  }
}

/** Returns whether a text has what its record does not say already: a save and the last keeping may have crossed. */
async function isNews(
  { autosaves, site }: Panel,
  resource: Resource,
  row: Row | undefined,
  head: KeptHead,
  request: FastifyRequest,
): Promise<boolean> {
  if (!row) return true
  const kept = await autosaves.read(head)
  if (!kept) return false
  const { set, errors } = formOf(resource, signedIn(request).access, row, site).read(formValues(kept.pairs))
  return Object.keys(set).length + Object.keys(errors).length > 0
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
