import type { ContentType } from '#core/types/content-type.ts'
import { targetOf } from '#core/types/fields.ts'
import type { Schema } from '#http/openapi/shapes.ts'
import { FreeNames } from '#lib/text/free-names.ts'
import { asciiSlug } from '#lib/text/slug.ts'
import { inputSchema, isRequired, orNull, outputSchema } from './field-schemas.ts'

const text = { type: 'string' }
const texts = { type: 'array', items: text }
const time = { type: 'string', format: 'date-time' }
const computed = { readOnly: true, description: 'Made by Quire: sent back as it was read, it is ignored.' }

/** A type as the names of a document are made of it: `blog_posts` is `BlogPosts`. Each name is given once. */
export function typeNames(types: readonly ContentType[]): Map<string, string> {
  const names = new Map<string, string>()
  const given = new FreeNames('')
  for (const { name } of types) {
    const words = asciiSlug(name).split('-')
    const plain = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('') || 'Type'
    names.set(name, given.take(plain))
  }
  return names
}

/**
 * A record of the type as it is answered. `record` is what every one has, `names` those of the types whose records it may
 * include.
 */
export function recordOf(type: ContentType, record: Schema, names: ReadonlyMap<string, string>): Schema {
  const { examples: _, properties, required, ...rest } = record
  const terms = type.taxonomies.map((kind) => [kind.name, { ...texts, type: ['array', 'null'], description: 'Ids of terms.' }])
  const fields = [...type.fields.values()].map((field) => [
    field.name,
    outputSchema(field, recordAt(names.get(targetOf(field) ?? ''))),
  ])
  const own = [...type.taxonomies.map((kind) => kind.name), ...type.fields.keys()]
  return {
    ...rest,
    required: [...new Set([...(required as string[]), ...own])],
    description: `A record of the type "${type.name}". A file that was changed by hand may hold other values than its fields are declared for.`,
    properties: {
      ...(properties as object),
      type: { const: type.name },
      ...Object.fromEntries(terms),
      ...Object.fromEntries(fields),
    },
  }
}

function recordAt(name: string | undefined): Schema {
  return { $ref: `#/components/schemas/${name ?? ''}Record` }
}

/** Returns the schema of the input for a new record of the type. */
export function inputOf(type: ContentType): Schema {
  const required = [...type.fields.values()].filter(isRequired).map(({ name }) => name)
  return {
    type: 'object',
    description: 'A title or a slug is needed.',
    ...(required.length > 0 && { required }),
    additionalProperties: type.additionalFields,
    properties: writable(type),
  }
}

/** Returns the schema of a change of a record of the type: only sent fields are changed, and null removes one. */
export function changeOf(type: ContentType): Schema {
  const properties = Object.entries(writable(type)).map(([name, schema]) => [name, schema.readOnly ? schema : orNull(schema)])
  return {
    type: 'object',
    description: 'The fields to set; null removes one.',
    additionalProperties: type.additionalFields,
    properties: Object.fromEntries(properties),
  }
}

function writable(type: ContentType): Record<string, Schema> {
  const terms = type.taxonomies.map((kind) => [kind.name, { ...texts, description: 'Ids or names of terms.' }])
  const fields = [...type.fields.values()].map((field) => [
    field.name,
    inputSchema(field, { takesOthers: type.additionalFields }),
  ])
  return {
    title: { ...text, maxLength: 200 },
    slug: { ...text, maxLength: 100, description: 'Made from the title where it is not sent.' },
    status: { ...text, enum: [...type.statuses.keys()] },
    body: { ...text, description: 'Markdown.' },
    author: { description: 'An id, or a list of them.' },
    published_at: time,
    expires_at: time,
    permalink: { description: 'The path of its page, or false for none.' },
    aliases: { description: 'Paths that lead to its page.' },
    noindex: { type: 'boolean', description: 'Whether search engines and the sitemap leave it out.' },
    unlisted: { type: 'boolean', description: 'Whether no list of the site has it; it has its page all the same.' },
    own: { type: 'object', description: 'Keys of the file named id, type, url, version, body or own: all of them.' },
    id: { ...text, ...computed },
    type: { ...text, ...computed },
    url: computed,
    version: { ...text, ...computed },
    created_at: computed,
    updated_at: computed,
    ...Object.fromEntries(terms),
    ...Object.fromEntries(fields),
  }
}
