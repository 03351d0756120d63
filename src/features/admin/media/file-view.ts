import type { FileResource } from '../../file-resource.ts'
import type { Row } from '../../resource.ts'
import type { FieldView } from '../forms/field-view.ts'
import { momentOf, type Telling } from '../rendering/moments.ts'
import { urlOf } from '../resources/list-view.ts'
import { countText, sizeText } from './amounts.ts'
import { type FocalText, focalTextOf } from './focal-point.ts'
import { crumbsOf, ICONS, measuresOf, textIn } from './grid-view.ts'

/** A file as its page shows it. */
export interface FileShown {
  readonly files: FileResource
  readonly row: Row
  readonly fields: readonly FieldView[]
  readonly may: { readonly update: boolean; readonly move: boolean; readonly remove: boolean }
  /** The lines of what uses it, and how many there are in all. */
  readonly uses: readonly object[]
  readonly telling: Telling
  /** The version that the form begins from. */
  readonly base: string
  /** The focal point and the path as they were typed. */
  readonly focal?: FocalText | undefined
  readonly path?: string | undefined
  readonly errors: readonly { readonly id: string; readonly text: string }[]
}

/** The shapes that pictures are often cropped to. */
const CROPS = [
  ['16 : 9', 16 / 9],
  ['1 : 1', 1],
  ['4 : 5', 4 / 5],
] as const

/** The height of a crop on the page. */
const CROP_HEIGHT = 96

/** Returns what the template `media-edit` shows. */
export function fileView({ files, row, fields, may, uses, telling, base, errors, ...typed }: FileShown): object {
  const { values } = row
  const { locale } = telling
  const here = `${urlOf(files)}/${encodeURIComponent(row.id)}`
  const size = sizeOf(row)
  const kind = textIn(row, 'kind')
  const used = usesIn(row)
  const ending = row.title.slice(row.title.lastIndexOf('.') + 1).toUpperCase()
  return {
    crumbs: crumbsOf(files, textIn(row, 'folder'), row.title),
    heading: row.title,
    buttons: may.remove ? [{ label: 'Delete…', url: `${here}/delete`, tone: 'danger' }] : [],
    ...(may.update && { replace: { action: `${here}/file`, accept: acceptOf(files, row) } }),
    ...(may.move && {
      move: { action: `${here}/move`, path: typed.path ?? textIn(row, 'path'), is_open: typed.path !== undefined },
    }),
    file: {
      url: textIn(row, 'preview') || row.url,
      source: row.url,
      alt: textIn(row, 'alt'),
      is_picture: kind === 'image',
      player: kind === 'video' || kind === 'audio' ? kind : '',
      icon: ICONS[kind] ?? 'file',
      width: size?.width ?? '',
      height: size?.height ?? '',
    },
    ...(size && {
      focal: { ...(typed.focal ?? focalTextOf(values.focal_point)), x_name: 'focal_x', y_name: 'focal_y', ...ringOf(row) },
      crops: cropsOf(row, size),
      is_locked: !may.update,
    }),
    form: { action: here, method: 'PUT', base },
    fields,
    ...(may.update && {
      save: { label: 'Save', note: used === 0 ? '' : `Counts at once in ${countText(used, 'place', locale)}` },
    }),
    uses,
    uses_heading: used === 0 ? 'Used nowhere' : `Used in ${countText(used, 'place', locale)}`,
    facts: [
      { label: 'Kind', text: [ending, measuresOf(values, locale)].filter((text) => text !== '').join(', ') },
      ...(typeof values.size === 'number' ? [{ label: 'Size', text: sizeText(values.size, locale) }] : []),
      ...uploadOf(row, telling),
      { label: 'Address', text: row.url, url: row.url, is_code: true },
    ],
    errors,
    notices:
      may.update || errors.length > 0
        ? []
        : [{ tone: 'info', text: 'You may see this file, and not change it: another uploaded it.' }],
  }
}

/** Returns the number of things that use a file, as far as the reader may know. */
export function usesIn({ values: { used_by } }: Row): number {
  return Array.isArray(used_by) ? used_by.length : 0
}

function sizeOf({ values: { kind, width, height } }: Row): { width: number; height: number } | undefined {
  const isOne = kind === 'image' && typeof width === 'number' && typeof height === 'number' && width > 0 && height > 0
  return isOne ? { width, height } : undefined
}

/** The point to be drawn: without one it is the middle, as pictures are cropped then. */
function ringOf({ values }: Row): { ring_x: string; ring_y: string } {
  const { x, y } = focalTextOf(values.focal_point)
  return { ring_x: x || '50', ring_y: y || '50' }
}

function cropsOf({ values }: Row, { width, height }: { width: number; height: number }) {
  const { x, y } = focalTextOf(values.focal_point)
  return CROPS.map(([label, ratio]) => {
    const [wide, high] = width / height > ratio ? [height * ratio, height] : [width, width / ratio]
    const left = startOf(width, wide, x)
    const top = startOf(height, high, y)
    return {
      label,
      width: Math.round(CROP_HEIGHT * ratio),
      height: CROP_HEIGHT,
      view_box: [left, top, wide, high].map((number) => String(Math.round(number * 100) / 100)).join(' '),
    }
  })
}

/** The place at which a part of a side begins, so that the point is in its middle as far as that can be. */
function startOf(side: number, part: number, percent: string): number {
  const point = percent === '' ? 0.5 : Number(percent) / 100
  return Math.min(side - part, Math.max(0, side * point - part / 2))
}

function acceptOf({ accept }: FileResource, { title }: Row): string {
  const own = title.slice(title.lastIndexOf('.')).toLowerCase()
  return accept.includes(own) ? own : ''
}

function uploadOf(row: Row, telling: Telling) {
  const at = momentOf(row.values.created_at, telling)?.short ?? ''
  const told = [textIn(row, 'uploaded_by'), at].filter((text) => text !== '')
  return told.length === 0 ? [] : [{ label: 'Uploaded', text: told.join(', ') }]
}
