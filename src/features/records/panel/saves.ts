import type { Access } from '#core/access/access.ts'
import { instantOf } from '#core/status.ts'
import type { ContentType } from '#core/types/content-type.ts'
import type { Fields } from '#lib/json.ts'
import type { Save } from '../../resource.ts'
import { reaches } from '../rights.ts'
import { firstStatus, isLiveStatus, statusOf } from '../writing/stored-status.ts'

/** The words of a button that brings a record into a status. */
const WORDS: Readonly<Record<string, string>> = {
  draft: 'Save draft',
  in_review: 'Send for review',
  archived: 'Archive',
}

/**
 * The ways to save a record with these fields, the main one first: as it is, and into each status that it may move to. Those that
 * make it public or take it back are there for who may publish it.
 */
export function savesOf(access: Access, type: ContentType, fields: Readonly<Fields> | undefined, now: number): Save[] {
  const from = fields ? statusOf(type, fields) : firstStatus(type)
  const mine = fields ?? { author: access.handle ?? null, status: from }
  const mayPublish = reaches(access, 'content:publish', type, mine)
  const isLive = isLiveStatus(type, from)
  const moves = (type.statuses.get(from)?.to ?? []).filter((to) => mayPublish || isLiveStatus(type, to) === isLive)
  const begins = instantOf(fields?.published_at ?? undefined)
  const stay: Save = isLive
    ? {
        name: 'save',
        label: 'Update',
        says: begins !== undefined && begins > now ? 'Stays scheduled' : 'Public at once',
        set: {},
        isMain: true,
      }
    : { name: 'save', label: WORDS[from] ?? 'Save', says: 'Stays private', set: fields ? {} : { status: from }, isMain: false }
  const others = moves.map((to): Save => {
    const isPublic = isLiveStatus(type, to)
    const says = isPublic === isLive ? 'Stays private' : isPublic ? 'Public at once' : 'Private at once'
    return { name: to, label: labelOf(to, isPublic, isLive), says, set: { status: to }, isMain: isPublic && !isLive }
  })
  const main = others.find(({ isMain }) => isMain)
  return main ? [main, stay, ...others.filter((one) => one !== main)] : [{ ...stay, isMain: true }, ...others]
}

function labelOf(to: string, isPublic: boolean, wasPublic: boolean): string {
  if (isPublic && !wasPublic) return 'Publish'
  if (!isPublic && wasPublic && to === 'draft') return 'Unpublish'
  const words = to.replaceAll('_', ' ')
  return WORDS[to] ?? words.charAt(0).toUpperCase() + words.slice(1)
}
