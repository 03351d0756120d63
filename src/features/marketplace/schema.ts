import type { FromSchema, JSONSchema } from 'json-schema-to-ts'
import { many, one } from '#http/answers/shapes.ts'
import { pagingQuery } from '#http/requests/paging.ts'
import { SORTS } from './registry/listing.ts'

const text = { type: 'string' } as const
const texts = { type: 'array', items: text } as const
const maybe = { type: ['string', 'null'] } as const

const properties = {
  name: text,
  version: { ...text, description: 'The newest by precedence that is not withdrawn.' },
  versions: { ...texts, description: 'Those that are not withdrawn, the newest first.' },
  description: text,
  author: text,
  license: text,
  tags: texts,
  cms: { ...text, description: 'The range of versions of Quire that it runs with.' },
  downloads: { type: 'integer', description: 'Counted once for each address and day.' },
  integrity: { ...maybe, description: '`sha512-<base64>` of the package; `null` where it is kept elsewhere.' },
  signature: { ...maybe, description: 'Ed25519 over `name@version`, a line end and the integrity; in base64.' },
  repository: { ...maybe, description: 'Where it is kept, if it is elsewhere.' },
  published_at: { ...text, format: 'date-time' },
  deprecated: { ...maybe, description: 'Why it should not be used any more.' },
  withdrawn: { type: 'boolean', description: 'True where all its versions are withdrawn.' },
} as const satisfies Record<string, JSONSchema>

const required = [
  ...(['name', 'version', 'versions', 'description', 'author', 'license', 'tags', 'cms', 'downloads', 'integrity'] as const),
  ...(['signature', 'repository', 'published_at', 'deprecated', 'withdrawn'] as const),
] as const

const module = {
  title: 'Module',
  type: 'object',
  required,
  additionalProperties: false,
  properties,
} as const satisfies JSONSchema

/** Modules, and which part of the list they are. */
export const moduleList = many(module)

/** An answer with a module, as its list has it. */
export const publishedModule = one(module)

const release = {
  title: 'ModuleRelease',
  type: 'object',
  required: ['version', 'cms', 'permissions', 'integrity', 'signature', 'repository', 'size', 'published_at', 'withdrawn'],
  additionalProperties: false,
  properties: {
    version: text,
    cms: text,
    permissions: texts,
    integrity: maybe,
    signature: maybe,
    repository: maybe,
    size: { type: ['integer', 'null'], description: 'Bytes of the package.' },
    published_at: { ...text, format: 'date-time' },
    withdrawn: { type: 'boolean' },
  },
} as const satisfies JSONSchema

const manifest = {
  title: 'ModuleManifest',
  type: 'object',
  required: ['api', 'name', 'version', 'description', 'author', 'license', 'tags', 'cms', 'main', 'permissions'],
  additionalProperties: false,
  properties: {
    ...{ api: { const: 1 }, name: text, version: text, description: text, author: text, license: text },
    ...{ tags: texts, cms: text, main: text, permissions: texts },
  },
} as const satisfies JSONSchema

/** An answer with a module whole. */
export const oneModule = one({
  title: 'ModuleDetail',
  type: 'object',
  required: [...required, 'permissions', 'manifest', 'readme', 'releases'],
  additionalProperties: false,
  properties: {
    ...properties,
    permissions: { ...texts, description: 'What its newest version asks for.' },
    manifest,
    readme: { ...text, description: 'Markdown, as its author wrote it.' },
    releases: { type: 'array', items: release, description: 'All versions, the newest first, those that are withdrawn too.' },
  },
})

/** Parameters of a search. */
export const searchQuery = {
  type: 'object',
  additionalProperties: false,
  properties: {
    ...pagingQuery.properties,
    q: {
      ...text,
      maxLength: 100,
      description: 'Words in the name, the description, the author or the tags.',
      examples: ['form'],
    },
    tag: { ...text, maxLength: 50, examples: ['forms'] },
    sort: { enum: SORTS, default: 'downloads' },
  },
} as const

/** The address of a module. */
export const nameParams = { type: 'object', required: ['name'], properties: { name: text } } as const

/** The address of a version. */
export const versionParams = {
  type: 'object',
  required: ['name', 'version'],
  properties: { name: text, version: text },
} as const

/** A version to be published. */
export const newVersion = {
  title: 'ModulePublication',
  type: 'object',
  required: ['name', 'version'],
  additionalProperties: false,
  properties: {
    ...{ api: { type: 'integer' }, name: { ...text, maxLength: 64, examples: ['contacts'] } },
    version: { ...text, maxLength: 64, examples: ['1.0.0'], description: 'By SemVer; one that is there is never replaced.' },
    ...{ description: text, author: text, license: text, tags: texts, cms: text, main: text, permissions: texts },
    package: {
      ...text,
      description: 'The `.tgz` in base64, at most 20 MiB. What else is sent must be as its `module.yaml` says.',
    },
    repository: { ...text, maxLength: 500, description: 'Where it is kept, if that is elsewhere.' },
    signature: { ...text, maxLength: 88 },
  },
} as const satisfies JSONSchema

/** A change of a name. */
export const moduleChange = {
  title: 'ModuleChange',
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  properties: {
    owner: {
      ...text,
      pattern: '^(?:user|token):[A-Za-z0-9_-]{1,64}$',
      examples: ['user:ada'],
      description: 'To whom the name is given: `user:<id>` or `token:<id>`.',
    },
    deprecated: {
      type: ['string', 'null'],
      minLength: 1,
      maxLength: 300,
      examples: ['Use contacts-plus.'],
      description: 'A sentence that says why it should not be used any more; `null`: it may.',
    },
  },
} as const satisfies JSONSchema

/** A change of a name, as it is sent. */
export type ModuleChangeInput = FromSchema<typeof moduleChange>

/** The response for a version that was withdrawn. */
export const withdrawnVersion = one({
  type: 'object',
  required: ['name', 'version', 'withdrawn'],
  additionalProperties: false,
  properties: { name: text, version: text, withdrawn: { type: 'boolean' } },
})
