import type { JSONSchema } from 'json-schema-to-ts'

const text = { type: 'string' } as const
const file = {
  ...text,
  contentMediaType: 'application/octet-stream',
  description: 'The file, with its name. Needed, once.',
} as const satisfies JSONSchema

/** A file to be uploaded, and what is said of it. The form is checked as it is read. */
export const uploadInput = {
  content: {
    'multipart/form-data': {
      schema: {
        title: 'MediaUpload',
        type: 'object',
        additionalProperties: false,
        properties: {
          file,
          folder: { ...text, description: 'The folder below media/; none if it is left out.' },
          alt: { ...text, description: 'What a picture shows, up to 10,000 characters.' },
          title: { ...text, description: 'Up to 200 characters.' },
          caption: { ...text, description: 'Up to 10,000 characters.' },
        },
      },
    },
  },
} as const

/** A file that is to be in the place of another. */
export const fileInput = {
  content: {
    'multipart/form-data': {
      schema: { title: 'MediaFileInput', type: 'object', additionalProperties: false, properties: { file } },
    },
  },
} as const
