import type { QueryParams } from '#http/requests/query.ts'
import type { Resource } from '../../resource.ts'

/** Returns a path with these parameters in the place of those it has; empty ones are left out. */
export function addressWith(address: string, params: QueryParams): string {
  const [path = '', query = ''] = address.split('?', 2)
  const all = new URLSearchParams(query)
  for (const [name, value] of Object.entries(params)) {
    if (value === '') all.delete(name)
    else all.set(name, value)
  }
  const text = all.toString()
  return text === '' ? path : `${path}?${text}`
}

/** The list to go back to: an address of this resource's list, whatever a form says. */
export function backOf({ name }: Resource, sent: string): string {
  const href = `/admin/${name}`
  return sent === href || sent.startsWith(`${href}?`) ? sent : href
}
