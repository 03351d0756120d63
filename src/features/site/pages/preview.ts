import type { Document } from '#core/document.ts'
import type { MediaKnowing } from '#core/media/media-values.ts'
import type { ContentType } from '#core/types/content-type.ts'
import type { PreviewPage } from '../../resource.ts'
import { type Entry, entryOf } from '../outline/entry.ts'
import { isHead } from '../outline/sections.ts'
import type { SiteSnapshot } from '../outline/site-snapshot.ts'
import { POLICY, TRUSTED_POLICY } from '../policies.ts'
import type { Site } from '../site.ts'
import type { Printable } from './plans.ts'

/**
 * Makes the page that the site would have of a document, be it live or not, and written or not; undefined where it would have
 * none. Without `withTerms` it names no terms, and it tells of those media files alone that its reader knows of. Throws TemplateFailure.
 */
export async function previewOf(
  site: Site,
  withTerms: boolean,
  type: ContentType,
  document: Document,
  knows: MediaKnowing,
): Promise<PreviewPage | undefined> {
  const entry: Entry = { ...entryOf(type, document, withTerms), draft: document, knows }
  if (entry.url === null) return undefined
  const { snapshot, context } = await site.current()
  const isHome = entry.url === '/'
  const shown: SiteSnapshot = isHome ? { ...snapshot, outline: { ...snapshot.outline, index: entry } } : snapshot
  const list = snapshot.outline.lists.get(entry.url) ?? snapshot.outline.sections.get(entry.url)
  const isOfList = list && (isHead(entry) || list.index?.key.id === entry.key.id)
  const target: Printable = isHome
    ? { kind: 'home', listing: shown.outline.home, page: 1 }
    : isOfList
      ? { kind: 'list', listing: { ...list, label: entry.title, index: entry }, page: 1 }
      : { kind: 'record', entry }
  const printed = await context.renderer.print(target, shown)
  return printed && { html: printed.html, policy: printed.trusted ? TRUSTED_POLICY : POLICY, isTrusted: printed.trusted }
}
