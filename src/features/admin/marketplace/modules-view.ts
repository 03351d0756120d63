import type { DeskFound, DeskModule, MarketplaceDesk } from '../../marketplace-desk.ts'
import { addressWith } from '../resources/list-address.ts'

/** The address of the modules. */
export const MODULES_URL = '/admin/modules'

/** Modules on a page. */
export const PER_PAGE = 24

/** The address of one module. */
export function moduleUrl(name: string): string {
  return `${MODULES_URL}/${encodeURIComponent(name)}`
}

/** Returns the words for a number of downloads. */
export function downloadsOf(count: number, locale: string): string {
  return `${count.toLocaleString(locale)} ${count === 1 ? 'download' : 'downloads'}`
}

const STATES = {
  on: { text: 'On', tone: 'good' },
  off: { text: 'Off', tone: 'bad' },
  due: { text: 'A restart is due', tone: 'warn' },
  disabled: { text: 'Switched off', tone: '' },
} as const

const SORTS = { downloads: 'Most used', updated: 'Newest', name: 'By name' } as const

/** The content of the page of modules. */
export interface ModulesShown {
  readonly registry: string | undefined
  readonly there: readonly DeskModule[]
  readonly updates: Awaited<ReturnType<MarketplaceDesk['updates']>>
  /** The modules that were found in the registry; undefined where nothing was looked for. */
  readonly found: { readonly modules: readonly DeskFound[]; readonly total: number } | undefined
  /** The reason why the registry said nothing. */
  readonly away: string | undefined
  readonly tab: 'browse' | 'there' | 'updates'
  readonly query: { readonly q: string; readonly tag: string; readonly sort: string; readonly page: number }
  /** True where the panel can have the server begin again. */
  readonly canRenew: boolean
  readonly locale: string
}

/** Returns the modules as the template `modules` shows them. */
export function modulesView(shown: ModulesShown): object {
  const { registry, there, updates, found, away, tab, query, canRenew, locale } = shown
  const used = there.filter(({ state }) => state !== 'disabled').length
  const tabs = [
    ...(registry
      ? [{ name: 'browse', label: 'Browse', count: found?.total.toLocaleString(locale), url: `${MODULES_URL}?tab=browse` }]
      : []),
    { name: 'there', label: 'On this site', count: String(there.length), url: `${MODULES_URL}?tab=there` },
    ...(registry
      ? [{ name: 'updates', label: 'Updates', count: String(updates.length), url: `${MODULES_URL}?tab=updates` }]
      : []),
  ]
  return {
    heading: 'Modules',
    count: `${used} in use`,
    tabs: tabs.map(({ name, ...one }) => ({ ...one, is_current: name === tab })),
    notices: noticesOf(shown),
    ...(there.some(({ state }) => state === 'due') && canRenew && { restart: `${MODULES_URL}/restart` }),
    ...(tab === 'browse' && found && { ...searchView(query), ...cardsView(found, shown) }),
    ...(tab === 'there' && { rows: there.map(rowOf), none: NONE_THERE }),
    ...(tab === 'updates' && { rows: updates.map(updateRow), none: NO_UPDATES }),
    ...(tab === 'browse' &&
      away !== undefined && { none: { icon: 'offline', title: 'The registry is not reached', text: away } }),
  }
}

const NONE_THERE = { icon: 'box', title: 'No modules yet', text: 'Modules add routes, pages, fields and filters to a site.' }
const NO_UPDATES = { icon: 'good', title: 'Everything is up to date', text: 'The registry has no newer versions.' }

function noticesOf({ registry, there, canRenew, away, tab }: ModulesShown): object[] {
  const due = there.filter(({ state }) => state === 'due').map(({ name }) => name)
  const how = canRenew ? 'No request is refused while the server begins again.' : 'Restart the server, or send it SIGHUP.'
  return [
    ...(due.length > 0 ? [{ tone: 'warn', title: 'A restart is due.', text: `It takes up ${due.join(', ')}. ${how}` }] : []),
    ...(away !== undefined && tab !== 'browse' ? [{ tone: 'warn', title: 'The registry is not reached.', text: away }] : []),
    ...(registry === undefined
      ? [{ tone: 'info', text: 'There is no registry to add modules from: modules.registry of the configuration names one.' }]
      : []),
  ]
}

function searchView(query: ModulesShown['query']) {
  const here = addressWith(MODULES_URL, { tab: 'browse', q: query.q, tag: query.tag })
  return {
    search: { action: MODULES_URL, q: query.q, label: 'Search modules', hidden: [{ name: 'tab', value: 'browse' }] },
    sort: {
      label: SORTS[query.sort as keyof typeof SORTS] ?? SORTS.downloads,
      icon: 'sort',
      items: Object.entries(SORTS).map(([name, label]) => ({
        label,
        url: addressWith(here, { sort: name }),
        is_current: name === (query.sort || 'downloads'),
      })),
    },
  }
}

function cardsView(
  { modules, total }: NonNullable<ModulesShown['found']>,
  { there, updates, query, locale }: Pick<ModulesShown, 'there' | 'updates' | 'query' | 'locale'>,
) {
  const at = (changes: Record<string, string>) =>
    addressWith(MODULES_URL, { tab: 'browse', q: query.q, tag: query.tag, sort: query.sort, ...changes })
  const tags = [...new Set(modules.flatMap((one) => one.tags))].slice(0, 8)
  const last = Math.max(1, Math.ceil(total / PER_PAGE))
  return {
    filters: [...new Set([...(query.tag ? [query.tag] : []), ...tags])].map((tag) => ({
      label: tag,
      url: at({ tag: tag === query.tag ? '' : tag }),
      is_current: tag === query.tag,
    })),
    cards: modules.map((one) => ({
      ...{ name: one.name, url: moduleUrl(one.name), description: one.description, author: one.author, version: one.version },
      downloads: downloadsOf(one.downloads, locale),
      ...{
        is_signed: one.isSigned,
        is_used: there.some(({ name }) => name === one.name),
        is_newer: updates.some(({ name }) => name === one.name),
        is_deprecated: one.deprecated !== null,
      },
    })),
    none: { icon: 'search-x', title: 'Nothing fits', text: 'Use fewer words, or another tag.' },
    ...(last > 1 && {
      pager: {
        text: `${(query.page - 1) * PER_PAGE + 1}–${Math.min(total, query.page * PER_PAGE)} of ${total.toLocaleString(locale)}`,
        previous: { label: 'Previous', ...(query.page > 1 && { url: at({ page: String(query.page - 1) }) }) },
        next: { label: 'Next', ...(query.page < last && { url: at({ page: String(query.page + 1) }) }) },
      },
    }),
  }
}

const FROM = { shipped: 'comes with Quire', site: 'of this site', registry: 'from the registry' } as const

function rowOf({ name, version, description, state, reason, hint, from }: DeskModule) {
  return {
    name,
    ...(from !== 'shipped' && { url: moduleUrl(name) }),
    tag: STATES[state],
    description: description,
    note: [version, FROM[from]].filter(Boolean).join(' · '),
    reason: [reason, hint].filter(Boolean).join(' '),
  }
}

function updateRow({ name, from, version }: { name: string; from: string; version: string }) {
  return { name, url: moduleUrl(name), tag: { text: version, tone: 'info' }, description: `${from} is in place.`, note: '' }
}
