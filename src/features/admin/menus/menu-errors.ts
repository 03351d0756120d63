import type { FieldErrors } from '#lib/errors.ts'
import type { FlatItem } from './flat-menu.ts'

/** A line of the summary above the form: `id` is that of the input which it is about, empty for none. */
interface ErrorLine {
  readonly id: string
  readonly text: string
}

/** The errors of a form of a menu: at its inputs, by their ids, and in one summary. */
export interface MenuErrors {
  readonly byId: ReadonlyMap<string, string>
  readonly lines: readonly ErrorLine[]
}

/** The inputs of an item, by the names that its values have in the API. */
const INPUTS: Readonly<Record<string, string>> = { label: 'label', url: 'url', record: 'record', new_tab: 'tab' }

/** Places the errors of a menu, which name items by where they are (`items.0.children.1.url`), at the inputs of a form. */
export function menuErrors(items: readonly FlatItem[], errors: FieldErrors): MenuErrors {
  const numbers = new Map(pathsOf(items).map((path, n) => [path, n]))
  const byId = new Map<string, string>()
  const lines = Object.entries(errors).flatMap(([path, messages]): ErrorLine[] => {
    const [place, name = ''] = splitAt(path)
    const n = numbers.get(path) ?? numbers.get(place)
    const item = n === undefined ? undefined : items[n]
    const text = messages.join(' ')
    if (!item) return [{ id: path === 'label' ? 'f-label' : '', text }]
    const id = `f-items-${n}-${INPUTS[name] ?? 'label'}`
    byId.set(id, [byId.get(id), text].filter((one) => one !== undefined).join(' '))
    return [{ id, text: `${item.label || item.record || item.url || 'Without a label'}: ${text}` }]
  })
  return { byId, lines }
}

/** The place of each item in the values of its menu: `items.0.children.1`. */
function pathsOf(items: readonly FlatItem[]): string[] {
  const levels: { readonly path: string; count: number }[] = [{ path: 'items', count: 0 }]
  return items.map(({ depth }) => {
    const at = Math.min(depth, levels.length - 1)
    const level = levels[at] ?? { path: 'items', count: 0 }
    const path = `${level.path}.${level.count++}`
    levels.splice(at + 1, Number.POSITIVE_INFINITY, { path: `${path}.children`, count: 0 })
    return path
  })
}

function splitAt(path: string): [place: string, name: string] {
  const dot = path.lastIndexOf('.')
  return [path.slice(0, Math.max(0, dot)), path.slice(dot + 1)]
}
