import type { Access } from '#core/access/access.ts'
import type { Resource, ResourceLink, Row } from '../../resource.ts'
import { urlOf } from './list-view.ts'

/** A way to what one thing was, or is made of; `isMain` where it is a button of its own. */
export interface MoreLink extends ResourceLink {
  readonly isMain?: boolean
}

/** Resolves with the ways to what one thing was, and is made of, those alone that lead somewhere for the reader. */
export async function moreLinks(resource: Resource, access: Access, row: Row): Promise<MoreLink[]> {
  const here = `${urlOf(resource)}/${encodeURIComponent(row.id)}`
  const hasFile = row.problem === undefined && resource.mayUpdate(access, row) && (await resource.source?.(access, row.id))
  return [
    ...(resource.links?.(row) ?? []).map((link) => ({ ...link, isMain: true })),
    ...((await resource.past?.isKept()) ? [{ label: 'History', url: `${here}/revisions`, icon: 'history', isMain: true }] : []),
    ...(hasFile ? [{ label: 'The file', url: `${here}/file`, icon: 'file-code' }] : []),
    ...(resource.apiPath ? [{ label: 'The API answer', url: `${here}/api`, icon: 'braces' }] : []),
  ]
}

/** Returns them as the template `parts/more` shows them: the main ones as buttons, the others in a list. */
export function moreView(links: readonly MoreLink[]) {
  const [buttons, items] = [links.filter(({ isMain }) => isMain), links.filter(({ isMain }) => !isMain)]
  return {
    buttons: buttons.map((link) => ({ ...link, tone: 'quiet' })),
    ...(items.length > 0 && { drop: { label: 'More', icon: 'ellipsis', is_sign: true, items } }),
  }
}
