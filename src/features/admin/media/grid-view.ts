import type { Access } from '#core/access/access.ts'
import type { QueryParams } from '#http/requests/query.ts'
import type { FileResource, FileSummary } from '../../file-resource.ts'
import type { Row, Rows } from '../../resource.ts'
import { addressWith } from '../resources/list-address.ts'
import { pagerOf, urlOf } from '../resources/list-view.ts'
import { countText, durationText, sizeText } from './amounts.ts'

/** The part of the files that an address asks for, and who asks. */
export interface GridShown {
  readonly files: FileResource
  readonly access: Access
  readonly params: QueryParams
  readonly rows: Rows
  readonly summary: FileSummary
  readonly locale: string
  /** The folder that was typed in a form to upload which was not taken. */
  readonly typedFolder?: string | undefined
}

/** Parameters that begin anew with every other list. */
const FRESH = { page: '', done: '' }
/** Parameters of which one filter sets one, and takes the others away. */
const NO_FILTER = { type: '', alt: '', unused: '' }

const SORTS: readonly (readonly [sort: string, label: string])[] = [
  ['-created_at', 'Newest first'],
  ['created_at', 'Oldest first'],
  ['-updated_at', 'Last changed first'],
  ['filename', 'Name, A to Z'],
  ['-filename', 'Name, Z to A'],
  ['-size', 'Largest first'],
  ['size', 'Smallest first'],
]

/** The icons of files that are no pictures, by their kind. */
export const ICONS: Readonly<Record<string, string>> = { image: 'image', video: 'video', audio: 'audio', document: 'file-text' }

/** Returns the folder that an address shows: of `2026/*` it is `2026`, '' for none. */
export function folderIn({ folder = '' }: QueryParams): string {
  return folder.replace(/\/?\*$/, '')
}

/** Returns what the template `media` shows. */
export function gridView(shown: GridShown): object {
  const { files, access, params, rows, summary, locale } = shown
  const url = urlOf(files)
  const folder = folderIn(params)
  const isNarrowed = folder !== '' || [...Object.keys(NO_FILTER), 'q'].some((name) => (params[name] ?? '') !== '')
  const all = countText(summary.total, 'file', locale)
  const mayUpload = files.mayUpload(access)
  const sort = params.sort ?? '-created_at'
  return {
    heading: files.label,
    count: isNarrowed ? `${rows.total.toLocaleString(locale)} of ${all}` : `${all} · ${sizeText(summary.bytes, locale)}`,
    crumbs: folder === '' ? [] : crumbsOf(files, folder),
    ...(mayUpload && {
      upload: {
        action: url,
        label: 'Upload',
        accept: files.accept.join(','),
        folder: shown.typedFolder ?? folder,
        is_open: shown.typedFolder !== undefined,
        note: `Up to ${files.maxSize} each.`,
      },
    }),
    search: {
      action: url,
      q: params.q ?? '',
      label: 'Search names, alt texts, captions',
      hidden: Object.entries(params)
        .filter(([name, value]) => !['q', 'page', 'done'].includes(name) && value !== '')
        .map(([name, value]) => ({ name, value })),
    },
    sort: {
      label: SORTS.find(([name]) => name === sort)?.[1] ?? 'Sort',
      icon: 'sort',
      items: SORTS.map(([name, label]) => ({
        label,
        url: addressWith(url, { ...params, ...FRESH, sort: name === '-created_at' ? '' : name }),
        is_current: name === sort,
      })),
    },
    filters: filtersOf(shown, url),
    folders: summary.folders.map(({ name, path, count }) => ({
      label: name,
      count: count.toLocaleString(locale),
      url: addressWith(url, { ...params, ...FRESH, folder: `${path}/*` }),
    })),
    tiles: rows.rows.map((row) => tileOf(shown, row)),
    ...(mayUpload && {
      picks: {
        action: addressWith(url, { ...params, done: '' }),
        actions: [{ label: 'Delete…', name: 'action', value: 'delete', tone: 'danger' }],
      },
    }),
    pager: pagerOf(files, params, rows, locale),
    none: isNarrowed
      ? {
          icon: 'search',
          title: 'Nothing found',
          text: 'No file here is like that.',
          buttons: [{ label: 'All files', url }],
        }
      : {
          icon: 'image',
          title: 'No files yet',
          text: mayUpload ? 'Upload pictures, films, sound or documents: the button is above.' : '',
          buttons: [],
        },
  }
}

/** Returns the crumbs that lead to a folder, and to what is in it. */
export function crumbsOf(files: FileResource, folder: string, last?: string): { label: string; url?: string }[] {
  const url = urlOf(files)
  const names = folder === '' ? [] : folder.split('/')
  const folders = names.map((label, n) => ({
    label,
    ...((last !== undefined || n < names.length - 1) && {
      url: addressWith(url, { folder: `${names.slice(0, n + 1).join('/')}/*` }),
    }),
  }))
  return [{ label: files.label, url }, ...folders, ...(last === undefined ? [] : [{ label: last }])]
}

/** Tells the size of a file's picture and the length of its film or sound; '' where it has neither. */
export function measuresOf({ width, height, duration }: Row['values'], locale: string): string {
  const sides = [width, height].filter((side) => typeof side === 'number').map((side) => side.toLocaleString(locale))
  return [sides.length === 2 ? sides.join(' × ') : '', typeof duration === 'number' ? durationText(duration) : '']
    .filter((text) => text !== '')
    .join(', ')
}

/** Returns a text among the values of a row; '' where there is none. */
export function textIn({ values }: Row, name: string): string {
  const value = values[name]
  return typeof value === 'string' ? value : ''
}

function filtersOf({ params, summary, locale }: GridShown, url: string) {
  const filters: readonly (readonly [label: string, set: QueryParams, count?: number])[] = [
    ['Everything', {}],
    ['Pictures', { type: 'image' }],
    ['Video', { type: 'video' }],
    ['Audio', { type: 'audio' }],
    ['Documents', { type: 'document' }],
    ['Without alt text', { alt: 'none' }, summary.withoutAlt],
    ['Used nowhere', { unused: 'true' }, summary.unused],
  ]
  return filters.map(([label, set, count]) => {
    const wanted = { ...NO_FILTER, ...set }
    return {
      label,
      url: addressWith(url, { ...params, ...FRESH, ...wanted }),
      is_current: Object.entries(wanted).every(([name, value]) => (params[name] ?? '') === value),
      ...(count !== undefined && { count: count.toLocaleString(locale) }),
    }
  })
}

function tileOf({ files, access, locale }: GridShown, row: Row) {
  const { values } = row
  const size = typeof values.size === 'number' ? sizeText(values.size, locale) : ''
  const isPicture = values.kind === 'image'
  const alt = textIn(row, 'alt')
  return {
    id: row.id,
    url: `${urlOf(files)}/${encodeURIComponent(row.id)}/edit`,
    name: row.title,
    note: [measuresOf(values, locale), size].filter((text) => text !== '').join(' · '),
    picture: textIn(row, 'thumbnail'),
    icon: ICONS[textIn(row, 'kind')] ?? 'file',
    // The name is told beside it.
    alt,
    warning: isPicture && alt === '' ? 'No alt text' : '',
    is_locked: !files.mayRemove?.(access, row),
  }
}
