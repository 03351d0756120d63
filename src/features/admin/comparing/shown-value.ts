import type { Field } from '#core/types/content-type.ts'
import { isObject } from '#frontmatter/changes.ts'
import type { Fields, Json } from '#lib/json.ts'
import { textOf } from '../forms/leaves.ts'

/** A value as a text to be compared, and how it is set. */
export interface ShownValue {
  readonly text: string
  readonly look: 'heading' | 'short' | 'raw'
}

/** Returns a value as a text to be compared. `field` is undefined for one that no form shows; times are told in `zone`. */
export function shownValue(name: string, field: Field | undefined, value: Json | undefined, zone: string): ShownValue {
  if (name === 'title') return { text: textIn(value), look: 'heading' }
  if (name === 'status') return { text: capital(textIn(value).replaceAll('_', ' ')), look: 'short' }
  if (typeof value === 'boolean') return { text: value ? 'Yes' : 'No', look: 'short' }
  if (Array.isArray(value) && value.every((one) => one !== null && typeof one !== 'object'))
    return { text: value.map(String).join(', '), look: 'short' }
  if (isTree(value)) return { text: outlineOf(value).join('\n'), look: 'raw' }
  if (name === 'focal_point' && isPoint(value)) return { text: pointOf(value), look: 'short' }
  if (typeof value === 'object' && value !== null) return { text: JSON.stringify(value, null, 2), look: 'raw' }
  return { text: field?.type === 'datetime' ? textOf(field, value, zone) : textIn(value), look: 'short' }
}

interface Point extends Fields {
  readonly x: number
  readonly y: number
}

function isPoint(value: Json | undefined): value is Point {
  return isObject(value ?? null) && [(value as Fields).x, (value as Fields).y].every((one) => typeof one === 'number')
}

function pointOf({ x, y }: Point): string {
  const [left, top] = [x, y].map((share) => Math.round(1000 * share) / 10)
  return `${left} % from the left, ${top} % from the top`
}

/** Returns whether a value is a list of things with labels: a menu's items. */
function isTree(value: Json | undefined): value is Fields[] {
  const isLabelled = (one: Json) => isObject(one) && (typeof one.label === 'string' || (one.label === null && 'children' in one))
  return Array.isArray(value) && value.length > 0 && value.every(isLabelled)
}

/** No deeper than menus are. */
function outlineOf(items: readonly Fields[], depth = 0): string[] {
  return items.flatMap(({ label, url, record, children }) => {
    const to = isObject(record ?? null) ? Object.values(record as Fields).join('/') : textIn(url)
    const line = `${'  '.repeat(depth)}${[textIn(label), to].filter((text) => text !== '').join('  →  ')}`
    return [line, ...(isTree(children) ? outlineOf(children, depth + 1) : [])]
  })
}

function textIn(value: Json | undefined): string {
  return value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
