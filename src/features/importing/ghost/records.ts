import type { ContentTypes } from '#core/types/content-type.ts'
import { yesOrNo } from '#frontmatter/other-tools.ts'
import type { Fields, Json } from '#lib/json.ts'
import { objectOf, textOf } from '../folder.ts'
import { markdownOf } from '../html/markdown.ts'
import type { RecordItem } from '../item.ts'
import { likeSlug } from '../places.ts'

/** Everything beside a text that its record is made of. */
export interface Surroundings {
  readonly meta: Fields
  /** Ids of records and of terms. */
  readonly authors: readonly string[]
  readonly tags: readonly string[]
  readonly types: ContentTypes
  readonly now: number
  locate(href: string): readonly string[]
}

/** A sign in addresses of an export that stands for that of the site. */
const HERE = '__GHOST_URL__'
/** The mark before parts of a text that members alone see. */
const GATED = 'kg-gated-block'
/** Matches the same in what its editor keeps. */
const GATED_CARD = /"nonMember"\s*:\s*false/

/** Returns the record of a post or a page of Ghost. */
export function recordOf(post: Fields, { meta, authors, tags, types, now, locate }: Surroundings): RecordItem {
  const isPage = post.type === 'page' || post.page === true || post.page === 1
  const type = isPage ? 'pages' : 'posts'
  const title = textOf(post.title) ?? 'Untitled'
  const said = textOf(post.slug)
  const id = likeSlug(said ?? title) || `id-${likeSlug(String(post.id))}`
  const { body, lost } = bodyOf(post)
  const excerpt = textOf(post.custom_excerpt)
  const cover = textOf(post.feature_image ?? post.image)?.replaceAll(HERE, '')
  const alt = textOf(meta.feature_image_alt)
  const set: Fields = {
    title,
    status: types.get(type)?.liveStatus ?? 'published',
    ...timesOf(post),
    ...(authors.length > 0 && { author: authors.length === 1 ? (authors[0] ?? null) : [...authors] }),
    ...(tags.length > 0 && { tags: [...new Set(tags)] }),
    ...(excerpt !== undefined && { excerpt }),
    ...(cover !== undefined && { cover }),
    ...(cover !== undefined && alt !== undefined && { cover_alt: alt }),
  }
  return {
    ...{ is: 'record', from: `${isPage ? 'page' : 'post'} ${said ?? id}`, type, id, set, body },
    ...{ address: said === undefined ? undefined : `/${said}/`, hidden: hiddenBy(post, meta, body, now), locate },
    foreign: lost === undefined ? {} : { 'texts of which only a part could be read': [lost] },
  }
}

/** The reason why not everyone could read a text; what is not known is one. */
export function hiddenBy(post: Fields, meta: Fields, body: string, now: number): string | undefined {
  const { status, visibility = 'public', html, lexical } = post
  const published = instant(post.published_at)
  if (visibility !== 'public' && visibility !== null) return `they were for ${String(visibility)}`
  if (yesOrNo(meta.email_only ?? post.email_only) === true) return 'they were sent by mail alone'
  if (String(html).includes(GATED) || body.includes(GATED) || GATED_CARD.test(String(lexical)))
    return 'parts of them were for members'
  if (status === 'published') return undefined
  if (status === 'scheduled' && published !== undefined && Date.parse(published) > now) return undefined
  return `their status was ${typeof status === 'string' ? status : 'not said'}`
}

function timesOf({ published_at, updated_at, created_at }: Fields): Fields {
  const [published, updated, created] = [published_at, updated_at, created_at].map(instant)
  return {
    ...(published !== undefined && { published_at: published }),
    ...(created !== undefined && { created_at: created }),
    ...(updated !== undefined && { updated_at: updated }),
  }
}

/** A time in UTC, as it is written or in milliseconds. */
function instant(value: Json | undefined): string | undefined {
  const time = typeof value === 'number' ? value : Date.parse(String(value ?? '').replace(/^(\S+) (\d\d:\d\d:\d\d)$/, '$1T$2Z'))
  return Number.isNaN(time) || Math.abs(time) > 8.64e15 ? undefined : new Date(time).toISOString()
}

/** A text as Markdown: of its HTML, else of what the editor before kept, else without its form. */
function bodyOf({ html, mobiledoc, markdown, plaintext, lexical }: Fields): { readonly body: string; readonly lost?: string } {
  const made = textOf(html)
  if (made !== undefined) return { body: markdownOf(made.replaceAll(HERE, '')) }
  const kept = textOf(markdown) ?? markdownIn(textOf(mobiledoc))
  if (kept !== undefined) return { body: kept.replaceAll(HERE, '') }
  const plain = textOf(plaintext)
  const isEmpty = plain === undefined && textOf(mobiledoc) === undefined && textOf(lexical) === undefined
  return { body: plain ?? '', ...(!isEmpty && { lost: plain === undefined ? 'without HTML' : 'plain text alone' }) }
}

/** The Markdown of a text whose one card it is. */
function markdownIn(mobiledoc: string | undefined): string | undefined {
  try {
    const { cards } = objectOf(mobiledoc === undefined ? null : JSON.parse(mobiledoc))
    const [card, ...others] = Array.isArray(cards) ? cards : []
    if (!Array.isArray(card) || others.length > 0 || !/^(?:card-)?markdown$/.test(String(card[0]))) return undefined
    return textOf(objectOf(card[1]).markdown)
  } catch {
    return undefined
  }
}
