import type { Resource } from '../../resource.ts'

/** Returns the address of the page of one as the site would have it. */
export function previewUrl({ name }: Resource, id: string): string {
  return `/admin/preview/${name.slice(name.indexOf('/') + 1)}/${encodeURIComponent(id)}`
}
