import type { FromSchema, JSONSchema } from 'json-schema-to-ts'
import type { SettingInput } from '#core/settings.ts'
import type { NamedFieldInput } from '#core/types/custom-types.ts'
import { auth, billing, mail, modules } from './schema/accounts.ts'
import { definitions, roles, settings, statuses, type TypeSchema, taxonomies, types } from './schema/content.ts'
import { media } from './schema/media.ts'
import { build, git, server, site, storage } from './schema/places.ts'
import { admin, analytics, api, audit, features, throttle, webhooks } from './schema/serving.ts'

const sections = {
  site,
  server,
  storage,
  git,
  types,
  settings,
  taxonomies,
  statuses,
  roles,
  features,
  api,
  throttle,
  auth,
  mail,
  media,
  build,
  billing,
  modules,
  webhooks,
  audit,
  analytics,
  admin,
} as const

/** The one definition of cms.config.yaml, as a JSON Schema (draft 7): every key, its default, and what it is for. */
export const configSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'cms.config.yaml',
  description: 'Configuration of a Quire site. Secrets come as ${NAME} or ${NAME:-default}.',
  type: 'object',
  additionalProperties: false,
  properties: sections,
  definitions,
} as const satisfies JSONSchema

type Frozen<T> = T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T

type TypeSection = Omit<FromSchema<TypeSchema>, 'fields'> & { fields: Record<string, NamedFieldInput> }

/** A field holds fields, which a type that is made of a schema can't say. */
type Sections = { [S in Exclude<keyof typeof sections, 'types' | 'settings'>]: FromSchema<(typeof sections)[S]> } & {
  types: Record<string, TypeSection>
  settings: Record<string, SettingInput>
}

/** The configuration once loaded: every default filled in, checked, and frozen. Durations and sizes are still as written. */
export type Config = Frozen<Sections>

/** A declared type as the configuration has it. */
export type TypeConfig = Config['types'][string]

/** A token that the configuration knows. */
export type TokenConfig = Config['api']['tokens'][number]
