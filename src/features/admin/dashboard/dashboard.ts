import type { Access } from '#core/access/access.ts'
import type { Health } from '#core/store.ts'
import type { QueryParams } from '#http/requests/query.ts'
import { Failure } from '#lib/errors.ts'
import type { Resource, Row } from '../../resource.ts'
import { dateText } from '../rendering/date-formats.ts'
import { statusView, urlOf } from '../resources/list-view.ts'
import { stepsOf } from './first-steps.ts'
import { factsOf, troubleLines } from './standing.ts'

/** A change of content, as the API lists it. */
export interface ShownChange {
  readonly created_at: string
  readonly action: string
  readonly kind: string
  readonly type: string
  readonly id: string
  readonly title: string | null
  readonly author: { readonly name: string } | null
}

/** Lists what was last done to content. Rejects with NotFound where no history is kept. */
export type Changes = (access: Access, params: QueryParams) => Promise<{ readonly data: readonly ShownChange[] }>

/** The reader of a dashboard, and what it is made of. */
export interface DashboardDeps {
  readonly resources: (access: Access) => Promise<readonly Resource[]>
  readonly changes: Changes | undefined
  readonly health: () => Promise<Health>
  /** Resolves with whether nothing is hidden from a reader. */
  readonly seesWhole: (access: Access) => Promise<boolean>
  /** True where the content is in a database. */
  readonly isShared: boolean
  /** Returns the lines of "Needs you" beside those of records. */
  readonly waiting: (access: Access, content: readonly Resource[]) => Promise<readonly object[]>
  /** Returns the cards of modules that the reader sees. */
  readonly cards: (access: Access) => Promise<readonly object[]>
  readonly site: { readonly locale: string; readonly timezone: string; readonly name: string; readonly content: string }
}

/** Statuses that have a column, in their order; those of the clock stand beside the one that they are made of. */
const COLUMNS = ['draft', 'in_review', 'scheduled', 'published', 'archived'] as const
const FEW = 6

/** Sites of more records are asked for what changed of late alone: a list of the last changes of all takes seconds there. */
const MANY = 20_000
const LATELY_MS = 30 * 86_400_000

/** Gathers the first page of the panel: what needs its reader, what there is, what happened, what comes. */
export class Dashboard {
  readonly #deps: DashboardDeps

  constructor(deps: DashboardDeps) {
    this.#deps = deps
  }

  /** Returns what the template `dashboard` shows to a reader at a time. */
  async view(access: Access, now: number): Promise<object> {
    const { resources, site, isShared } = this.#deps
    const all = await resources(access)
    const content = all.filter(({ layout, statuses }) => layout === 'desk' && statuses)
    const counted = await Promise.all(
      content.map(async (resource) => ({ resource, counts: (await resource.counts?.(access)) ?? new Map() })),
    )
    const heading = dateText('weekday', now, site)
    const [first] = content.filter((resource) => resource.mayCreate(access))
    const buttons = first
      ? [{ label: `New ${first.singular}`, url: `${urlOf(first)}/create`, icon: 'plus', tone: 'primary', key: 'c' }]
      : []
    const isEmpty = counted.every(({ counts }) => sumOf(counts) === 0)
    const health = await this.#deps.health()
    const waiting = [...troubleLines(health, access), ...(await this.#deps.waiting(access, content))]
    if (isEmpty && waiting.length === 0) {
      const people = all.find((resource) => resource.name === 'users' && resource.mayCreate(access))
      const steps = stepsOf({ first, people, folder: isShared ? undefined : site.content })
      return { heading: site.name, is_empty: true, note: 'Nothing is written yet. Begin in any of these ways.', steps, buttons }
    }
    const shown = COLUMNS.filter(
      (status) => counted.some(({ counts }) => (counts.get(status) ?? 0) > 0) || status === 'draft' || status === 'published',
    )
    const [needs, coming, drafts, changes, cards] = await Promise.all([
      this.#rows(access, content, { status: 'in_review', sort: 'updated_at' }),
      this.#rows(access, content, { status: 'scheduled', sort: 'published_at' }),
      access.handle === undefined
        ? []
        : this.#rows(access, content, { status: 'draft', 'filter[author]': access.handle, sort: '-updated_at' }),
      this.#changes(
        access,
        content,
        changesAsked(
          counted.reduce((sum, { counts }) => sum + sumOf(counts), 0),
          now,
        ),
      ),
      this.#deps.cards(access),
    ])
    return {
      ...{
        heading,
        buttons,
        changes,
        cards,
        facts: factsOf(health, isShared, await this.#deps.seesWhole(access), { ...site, now }),
      },
      needs: [
        ...waiting,
        ...needs.map(({ resource, row }) => ({ ...line(resource, row, now), note: `${resource.label}, waits for review` })),
      ],
      coming: coming.map(({ resource, row }) => ({ ...line(resource, row, now), due: row.values.published_at })),
      drafts: drafts.map(({ resource, row }) => ({ ...line(resource, row, now), changed: row.values.updated_at })),
      statuses: shown.map((status) => ({
        label: statusView(status).label,
        is_minor: status !== 'draft' && status !== 'published',
      })),
      types: counted.map(({ resource, counts }) => typeView(resource, counts, shown, site.locale)),
    }
  }

  /** The first rows of all types, in one order. */
  async #rows(access: Access, content: readonly Resource[], params: QueryParams): Promise<{ resource: Resource; row: Row }[]> {
    const found = await Promise.all(
      content.map(async (resource) => {
        const { rows } = await resource.list(access, { ...params, per_page: String(FEW) }).catch(none)
        return rows.map((row) => ({ resource, row }))
      }),
    )
    const name = (params.sort ?? '').replace(/^-/, '')
    const direction = params.sort?.startsWith('-') ? -1 : 1
    const textOf = ({ row }: { row: Row }) => String(row.values[name] ?? '')
    return found
      .flat()
      .sort((a, b) => direction * (textOf(a) < textOf(b) ? -1 : 1))
      .slice(0, FEW)
  }

  async #changes(access: Access, content: readonly Resource[], params: QueryParams): Promise<object[]> {
    const data = (await this.#deps.changes?.(access, { ...params, per_page: String(FEW) }).catch(none))?.data ?? []
    return data.map(({ action, kind, type, id, title, author, created_at }) => {
      const known = kind === 'record' && action !== 'deleted' ? content.find(({ name }) => name === `content/${type}`) : undefined
      return {
        before: `${author?.name ?? 'Somebody'} ${WORDS[action] ?? 'changed'}`,
        title: title ?? id,
        ...(known && { url: `${urlOf(known)}/${encodeURIComponent(id)}/edit` }),
        icon: ICONS[kind] ?? 'file-text',
        at: created_at,
      }
    })
  }
}

/** Returns the parameters by which a site of so many records is asked for its changes. */
export function changesAsked(records: number, now: number): QueryParams {
  return records > MANY ? { since: new Date(now - LATELY_MS).toISOString() } : {}
}

const WORDS: Readonly<Record<string, string>> = {
  created: 'made',
  updated: 'changed',
  published: 'published',
  unpublished: 'took back',
  moved: 'moved',
  deleted: 'deleted',
  rolled_back: 'restored',
  restored: 'brought back',
  external: 'changed in git',
}

const ICONS: Readonly<Record<string, string>> = {
  record: 'file-text',
  term: 'tag',
  menu: 'menus',
  setting: 'settings',
  media: 'image',
}

/** Stands for a list that can't be made so: the others still are. */
function none(error: unknown): { rows: Row[]; data: ShownChange[] } {
  if (error instanceof Failure && error.status < 500) return { rows: [], data: [] }
  throw error
}

function line(resource: Resource, row: Row, _now: number) {
  return { status: statusView(row.status ?? ''), title: row.title, url: `${urlOf(resource)}/${encodeURIComponent(row.id)}/edit` }
}

function typeView(resource: Resource, counts: ReadonlyMap<string, number>, shown: readonly string[], locale: string) {
  const all = sumOf(counts)
  const url = urlOf(resource)
  let x = 0
  const bars = [...counts]
    .filter(([, number]) => number > 0)
    .map(([status, number]) => {
      const width = Math.round((number / all) * 1000) / 10
      const bar = { glyph: statusView(status).glyph, x, width }
      x = Math.round((x + width) * 10) / 10
      return bar
    })
  const numbers = shown.map((status) => {
    const number = counts.get(status) ?? 0
    const isNone = number === 0
    return {
      text: number.toLocaleString(locale),
      is_none: isNone,
      is_minor: status !== 'draft' && status !== 'published',
      ...(!isNone && { url: `${url}?status=${status}` }),
    }
  })
  return { label: resource.label, url, bars, numbers, all: { text: all.toLocaleString(locale), url } }
}

function sumOf(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, number) => sum + number, 0)
}
