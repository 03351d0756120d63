import type { Access } from '#core/access/access.ts'
import type { Resource, Row } from '../../resource.ts'
import { urlOf } from './list-view.ts'

/** A way to what one thing was, or is made of. */
export interface MoreLink {
  readonly label: string
  readonly url: string
  readonly icon: string
}

/** Resolves with the ways to what one thing was, and is made of, those alone that lead somewhere for the reader. */
export async function moreLinks(resource: Resource, access: Access, row: Row): Promise<MoreLink[]> {
  const here = `${urlOf(resource)}/${encodeURIComponent(row.id)}`
  const hasFile = row.problem === undefined && resource.mayUpdate(access, row) && (await resource.source?.(access, row.id))
  return [
    ...((await resource.past?.isKept()) ? [{ label: 'History', url: `${here}/revisions`, icon: 'history' }] : []),
    ...(hasFile ? [{ label: 'The file', url: `${here}/file`, icon: 'file-code' }] : []),
    ...(resource.apiPath ? [{ label: 'The API answer', url: `${here}/api`, icon: 'braces' }] : []),
  ]
}

/** Returns them as the template `parts/more` shows them: the history as a button, the others in a list. */
export function moreView(links: readonly MoreLink[]) {
  const [buttons, items] = [links.filter(({ icon }) => icon === 'history'), links.filter(({ icon }) => icon !== 'history')]
  return {
    buttons: buttons.map((link) => ({ ...link, tone: 'quiet' })),
    ...(items.length > 0 && { drop: { label: 'More', icon: 'ellipsis', is_sign: true, items } }),
  }
}
