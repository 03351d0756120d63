import type { Document, Head } from '#core/document.ts'
import { unifyLines } from '#core/format/raw.ts'
import { idToPath, type Key } from '#core/key.ts'
import type { Vantage } from '#core/links/moved-links.ts'
import { foldersOf } from '#core/links/resolve.ts'
import type { ScanThread } from '#core/links/scan-thread.ts'
import { mediaNamed, mediaOfAddress, type SiteAddress } from '#core/media/media.ts'
import { type MenuNode, readMenu } from '#core/menu.ts'
import { urlOf } from '#core/permalink.ts'
import { groupsIn, type Setting, settingKey } from '#core/settings.ts'
import type { ContentType } from '#core/types/content-type.ts'
import { Slices } from '#lib/concurrency/slices.ts'
import { mediaOfLink, NOWHERE } from './links-to-media.ts'
import { mediaLike } from './media-like.ts'
import { stringsOf } from './strings.ts'

/** The means by which uses are found. */
export interface UseDeps {
  readonly scanner: ScanThread
  readonly site: SiteAddress
}

/** Ids of media files. */
export type MediaIds = ReadonlySet<string>

/** A text that leads to no media has none of these in it, whatever its escapes. */
const MAY_LEAD = /media|&#/i

/**
 * Finds the media files that a record uses: by the links and pictures of its texts, by fields of the type media, and by any value
 * that is an address of one.
 */
export async function usesInRecord(document: Document, type: ContentType, { scanner, site }: UseDeps): Promise<MediaIds> {
  const found = new Set<string>()
  const slices = new Slices()
  const add = (key: Key | undefined) => {
    if (key) found.add(key.id)
  }
  const at = vantageOf(type, document)
  const inText = async (text: string, wikilinks = false) => {
    if (!MAY_LEAD.test(text)) return
    const links = await scanner.scan(unifyLines(text), wikilinks)
    if (!links) for (const id of await mediaLike(text, { site })) found.add(id)
    for (const link of links ?? []) {
      if (slices.isOver) await slices.pause()
      add(mediaOfLink(link, at, site))
    }
  }
  await inText(document.body, type.wikilinks)
  for (const { field, text } of stringsOf(document.fields, type.fields)) {
    if (slices.isOver) await slices.pause()
    if (field?.type === 'media') add(mediaNamed(text, site))
    else if (field?.type === 'markdown') await inText(text)
    else if (MAY_LEAD.test(text)) {
      add(field?.type === 'url' ? mediaOfLink({ text, form: 'plain' }, at, site) : mediaOfAddress(text, site))
    }
  }
  return found
}

/** Finds the media files that items of a menu lead to. */
export function usesInMenu({ fields }: Head, site: SiteAddress): MediaIds {
  const found = new Set<string>()
  const within = (nodes: readonly MenuNode[]) => {
    for (const { target, children } of nodes) {
      const key = target && 'url' in target ? mediaOfAddress(target.url, site) : undefined
      if (key) found.add(key.id)
      within(children)
    }
  }
  within(readMenu(fields.items))
  return found
}

/** Finds the media files that settings of a document name, by the keys of the settings: `site.logo`. */
export async function usesInSettings(
  head: Head,
  declared: ReadonlyMap<string, Setting>,
  { scanner, site }: UseDeps,
): Promise<ReadonlyMap<string, MediaIds>> {
  const uses = new Map<string, MediaIds>()
  for (const [group, { values }] of groupsIn([head])) {
    for (const [name, value] of Object.entries(values)) {
      const key = settingKey(group, name)
      const ids = new Set<string>()
      const field = declared.get(key)?.field
      for (const { field: of, text } of stringsOf({ [name]: value }, new Map(field && [[name, field]]))) {
        const isText = of?.type === 'markdown'
        const named = of?.type === 'media' ? mediaNamed(text, site) : isText ? undefined : mediaOfAddress(text, site)
        if (named) ids.add(named.id)
        if (!isText || !MAY_LEAD.test(text)) continue
        for (const link of (await scanner.scan(unifyLines(text))) ?? []) {
          const linked = mediaOfLink(link, NOWHERE, site)
          if (linked) ids.add(linked.id)
        }
      }
      if (ids.size > 0) uses.set(key, ids)
    }
  }
  return uses
}

/** Returns the start of a record's links. */
export function vantageOf(type: ContentType, head: Head): Vantage {
  return { page: urlOf(type, head), folders: foldersOf(head.key.kind, idToPath(head.key.id)) }
}
