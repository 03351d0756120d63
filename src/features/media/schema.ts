import type { FromSchema, JSONSchema } from 'json-schema-to-ts'
import { MEDIA_KINDS } from '#core/media/media.ts'
import { manyWith, one } from '#http/answers/shapes.ts'
import { revisionName } from '#http/past/revisions.ts'
import { type ListMeta, listMeta, pagingQuery } from '#http/requests/paging.ts'
import { followed } from '../records/schemas/change.ts'

const text = { type: 'string' } as const
const textOrNull = { type: ['string', 'null'] } as const
const timeOrNull = { ...textOrNull, description: 'RFC 3339 UTC with milliseconds; null where it is not known.' } as const
const countOrNull = { type: ['integer', 'null'] } as const
const id = {
  ...text,
  description: 'The path below media/ with its ending, each `/` written `~`.',
  examples: ['2026~photo.jpg'],
} as const

const focalPoint = {
  title: 'FocalPoint',
  type: ['object', 'null'],
  required: ['x', 'y'],
  additionalProperties: false,
  properties: { x: { type: 'number' }, y: { type: 'number' } },
  description: 'What stays in sight when a picture is cropped: from the left and from the top, 0 to 1.',
} as const satisfies JSONSchema

const usedBy = {
  title: 'UsedBy',
  type: 'object',
  required: ['type', 'id'],
  additionalProperties: false,
  properties: { type: { ...text, description: 'The type of a record, `menu` or `setting`.' }, id: text },
} as const satisfies JSONSchema

/** A use of a media file as clients see it. */
export type UsedBy = FromSchema<typeof usedBy>

/** Fields that a list goes without where it would be too long with them, in that order. */
export const OMITTED = ['used_by', 'caption', 'alt', 'title'] as const

const kept = [
  ...(['id', 'filename', 'folder', 'url', 'mime_type', 'size', 'width', 'height', 'duration', 'checksum'] as const),
  ...(['focal_point', 'uploaded_by', 'created_at', 'updated_at', 'version', 'declared'] as const),
] as const

/** The shape of a media file. */
export const media = {
  title: 'Media',
  type: 'object',
  required: [...kept, ...OMITTED] as const,
  additionalProperties: false,
  properties: {
    id,
    filename: text,
    folder: { ...text, description: 'The folder below media/; empty for none.' },
    url: { ...text, description: 'Its address on the site.' },
    mime_type: text,
    size: { ...countOrNull, description: 'In bytes.' },
    width: { ...countOrNull, description: 'In pixels, of a picture or a film.' },
    height: countOrNull,
    duration: { type: ['number', 'null'], description: 'In seconds, of sound or a film.' },
    checksum: { ...textOrNull, description: '`sha256:` and the SHA-256 of the bytes.' },
    alt: { ...textOrNull, description: 'What a picture shows, for who does not see it.' },
    title: textOrNull,
    caption: textOrNull,
    focal_point: focalPoint,
    used_by: {
      type: 'array',
      items: usedBy,
      description:
        'The records, menus and settings that use it, as far as the reader may see them: the first 1,000 by type and id.',
    },
    uploaded_by: { ...textOrNull, description: 'The handle of who uploaded it.' },
    created_at: timeOrNull,
    updated_at: timeOrNull,
    version: {
      ...textOrNull,
      description:
        'The git blob id of its sidecar; null where it has none, and of what it was where not all of that may be told.',
    },
    declared: { type: 'boolean', description: 'False for a file that has no sidecar.' },
  },
  examples: [
    {
      ...{ id: '2026~photo.jpg', filename: 'photo.jpg', folder: '2026', url: '/media/2026/photo.jpg', mime_type: 'image/jpeg' },
      ...{ size: 48213, width: 1600, height: 1200, duration: null },
      checksum: 'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      ...{ alt: 'A cat on a wall', title: null, caption: null, focal_point: { x: 0.5, y: 0.25 } },
      ...{ used_by: [{ type: 'posts', id: 'hello' }], uploaded_by: 'ada' },
      ...{ created_at: '2026-11-20T12:00:00.000Z', updated_at: '2026-11-20T12:00:00.000Z' },
      ...{ version: '8a5fe1c1d3b0e9c6f47a2b1d0c9e8f7a6b5c4d3e', declared: true },
    },
  ],
} as const satisfies JSONSchema

/** A media file as clients see it. */
export interface MediaView extends Omit<FromSchema<typeof media>, 'used_by' | 'focal_point'> {
  readonly used_by: readonly UsedBy[]
  readonly focal_point: { readonly x: number; readonly y: number } | null
}

/** The position of a list, and what is left out of it. */
export type MediaListMeta = ListMeta & { readonly omitted?: readonly (typeof OMITTED)[number][] }

/** A media file in a list; without some fields where the answer would be too long. */
export type ListedMedia = Omit<MediaView, (typeof OMITTED)[number]> & Partial<Pick<MediaView, (typeof OMITTED)[number]>>

/** Media, and which part of the list they are. */
export const mediaList = manyWith(
  { ...media, title: 'ListedMedia', required: kept } as const,
  {
    ...listMeta,
    title: 'MediaListMeta',
    properties: {
      ...listMeta.properties,
      omitted: {
        type: 'array',
        items: { type: 'string', enum: OMITTED },
        description: 'Fields that are left out, since the answer would be over 8 MiB with them.',
      },
    },
  } as const,
)

/** The path parameters: the id of a media file, and the name of a revision of it. */
export const params = { type: 'object', properties: { id, ts: revisionName } } as const satisfies JSONSchema

const at = { ...text, description: 'A revision, a time or a commit: as it was then.' } as const

/** Parameters of the list. */
export const listQuery = {
  ...pagingQuery,
  properties: {
    ...pagingQuery.properties,
    at: { ...at, description: 'As they were at a time, a revision or a commit. Needs content:drafts.' },
    q: { ...text, description: 'Words in the name, alt, title or caption; case and accents do not count.' },
    folder: { ...text, description: 'One folder alone (`2026`), or with all below it (`2026/*`).', examples: ['2026'] },
    type: { ...text, description: MEDIA_KINDS.join(', ') },
    unused: { ...text, description: '`true`: what nothing uses that the reader may see.' },
    sort: {
      ...text,
      description: '`created_at`, `updated_at`, `filename`, `size`; `-` before it turns it round.',
      default: '-created_at',
    },
  },
} as const satisfies JSONSchema

/** Parameters of one media file. */
export const getQuery = { type: 'object', additionalProperties: false, properties: { at } } as const satisfies JSONSchema

/** A description of a media file that is to be changed. The feature checks the values. */
export const mediaInput = {
  title: 'MediaInput',
  type: 'object',
  additionalProperties: true,
  properties: {
    alt: { description: 'A text of up to 10,000 characters, or null.' },
    title: { description: 'A text of up to 200 characters, or null.' },
    caption: { description: 'A text of up to 10,000 characters, or null.' },
    focal_point: { description: '`x` and `y` from 0 to 1, or null.' },
  },
  examples: [{ alt: 'A cat on a wall', focal_point: { x: 0.5, y: 0.25 } }],
} as const satisfies JSONSchema

/** A media file as a change left it. */
export const changedMedia = {
  type: 'object',
  required: ['data'],
  additionalProperties: false,
  properties: {
    data: media,
    meta: {
      title: 'MediaMeta',
      type: 'object',
      additionalProperties: false,
      properties: { merged: { type: 'boolean', description: 'True where changes of others since the base were kept.' } },
    },
  },
} as const satisfies JSONSchema

/** A media file as a move left it. */
export const movedMedia = {
  type: 'object',
  required: ['data'],
  additionalProperties: false,
  properties: {
    data: media,
    meta: { title: 'MediaMoveMeta', type: 'object', additionalProperties: false, properties: followed },
  },
} as const satisfies JSONSchema

/** The response for a removed media file. */
export const removedMedia = one({
  title: 'RemovedMedia',
  type: 'object',
  required: ['id', 'deleted'],
  additionalProperties: false,
  properties: { id, deleted: { type: 'boolean', const: true } },
} as const satisfies JSONSchema)

/** Parameters of a change. */
export const updateQuery = {
  type: 'object',
  additionalProperties: false,
  properties: {
    base: { ...text, description: 'The version the change started from: what was done since is merged by fields.' },
  },
} as const satisfies JSONSchema

/** Parameters of a removal. */
export const removeQuery = {
  type: 'object',
  additionalProperties: false,
  properties: { force: { type: 'string', enum: ['true', 'false'], description: '`true`: also what is used.' } },
} as const satisfies JSONSchema
