import type { Access } from '#core/access/access.ts'
import { NotFound } from '#lib/errors.ts'
import type { Json } from '#lib/json.ts'
import type { Resources, Row } from '../../resource.ts'
import { statusView } from '../resources/list-view.ts'

/** A line of what uses a file, with the way to it in the panel. */
export interface UseLine {
  readonly title: string
  readonly note?: string
  readonly url?: string
  readonly icon?: string
  readonly status?: { readonly glyph: string; readonly label: string }
}

/** Number of uses that are told by title; of the others it is said how many there are. */
const MOST_TOLD = 20

/** Returns the lines of what uses a file, as far as the reader may know. */
export async function useLines(all: readonly Resources[], access: Access, { values }: Row): Promise<UseLine[]> {
  const used = Array.isArray(values.used_by) ? values.used_by : []
  const lines = await Promise.all(used.slice(0, MOST_TOLD).map((use) => lineOf(all, access, use)))
  const more = used.length - MOST_TOLD
  return [...lines, ...(more > 0 ? [{ title: `And ${more} more`, icon: 'ellipsis' }] : [])]
}

async function lineOf(all: readonly Resources[], access: Access, use: Json): Promise<UseLine> {
  const { type, id } = typeof use === 'object' && use !== null && !Array.isArray(use) ? use : {}
  const [kind, name] = [String(type ?? ''), String(id ?? '')]
  if (kind === 'menu') return { title: name, note: 'Menu', icon: 'menus', url: `/admin/menus/${encodeURIComponent(name)}/edit` }
  if (kind === 'setting') {
    const url = access.may('settings:write')
      ? { url: `/admin/settings/${encodeURIComponent(name.split('.')[0] ?? '')}/edit` }
      : {}
    return { title: name, note: 'Setting', icon: 'settings', ...url }
  }
  const found = await rowOf(all, access, `content/${kind}`, name)
  if (!found) return { title: `${kind}/${name}`, icon: 'file-text' }
  const { row, label } = found
  const url = `/admin/content/${kind}/${encodeURIComponent(name)}/edit`
  return { title: row.title, note: label, url, status: statusView(row.status ?? '') }
}

async function rowOf(all: readonly Resources[], access: Access, resource: string, id: string) {
  for (const one of all) {
    const found = await one.named(resource)
    if (!found?.sees(access)) continue
    try {
      return { row: await found.get(access, id), label: found.label }
    } catch (error) {
      // It may be gone since.
      if (!(error instanceof NotFound)) throw error
    }
  }
  return undefined
}
