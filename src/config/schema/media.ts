import type { JSONSchema } from 'json-schema-to-ts'
import { address, size, text } from './forms.ts'

/** Kinds of file. */
export const FILE_KINDS = ['image', 'video', 'audio', 'document'] as const

/** Formats of file. */
export const FORMATS = ['jpeg', 'png', 'gif', 'webp', 'avif', 'pdf', 'mp4', 'webm', 'mp3', 'txt', 'csv'] as const

/** `media`: pictures and other files. */
export const media = {
  type: 'object',
  description: 'Pictures and other files.',
  additionalProperties: false,
  default: {},
  properties: {
    store: {
      enum: ['auto', 'folder', 'table', 's3'],
      default: 'auto',
      description: 'Where they are kept; auto: a folder beside the content, a table with the driver postgres.',
    },
    max_size: { ...size, default: '20MiB', description: 'The largest file that is taken.' },
    git_max: {
      ...size,
      default: '1MiB',
      description:
        'The largest file that lies in content/media, and with that in git. Larger ones are kept in the private folder; with the driver postgres all are in its table, with store: s3 in the bucket.',
    },
    keep_metadata: {
      type: 'boolean',
      default: false,
      description: 'false: places and names of people are cut out of pictures that are uploaded.',
    },
    max_pixels: { type: 'integer', minimum: 1, default: 40_000_000, description: 'The most pixels of a picture.' },
    types: {
      type: 'array',
      items: { enum: FORMATS },
      uniqueItems: true,
      default: FORMATS,
      description: 'What is taken, found by content.',
    },
    widths: {
      type: 'array',
      items: { type: 'integer', minimum: 1, maximum: 10_000 },
      uniqueItems: true,
      default: [320, 640, 960, 1280, 1920],
      description: 'Widths that pictures are made in.',
    },
    s3: {
      type: 'object',
      description: 'The bucket of media.store: s3. It belongs to this site alone.',
      additionalProperties: false,
      required: ['endpoint', 'region', 'bucket', 'access_key_id', 'secret_access_key'],
      properties: {
        endpoint: { ...address, description: 'The address of its server: https://s3.eu-central-1.amazonaws.com.' },
        region: { ...text, description: 'Its region; auto, where there is none.' },
        bucket: { ...text, description: 'Its name.' },
        access_key_id: { ...text, description: 'Key id: ${NAME}.' },
        secret_access_key: { ...text, description: 'Secret key: ${NAME}.' },
      },
    },
  },
} as const satisfies JSONSchema
