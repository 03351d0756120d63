import type { FromSchema, JSONSchema } from 'json-schema-to-ts'
import { FIELD_TYPE_NAMES } from '#core/types/content-type.ts'
import { revisionName } from '#http/past/revisions.ts'

const text = { type: 'string' } as const

/** The shape of a setting. */
export const setting = {
  title: 'Setting',
  type: 'object',
  required: ['key', 'value', 'type', 'public', 'label', 'declared', 'version'],
  additionalProperties: false,
  properties: {
    key: { ...text, description: 'The group and the name, with a dot between.' },
    value: { description: 'The default where none was set; null without one.' },
    type: { ...text, enum: FIELD_TYPE_NAMES, description: 'That of its values, as fields have it.' },
    public: { type: 'boolean', description: 'Whether it can be read without settings:write.' },
    label: text,
    declared: { type: 'boolean', description: 'False for one that neither Quire nor the configuration knows.' },
    version: {
      type: ['string', 'null'],
      description: "The git blob id of its group's file; null where there is none, and without settings:write.",
    },
  },
  examples: [
    {
      key: 'site.tagline',
      value: 'Notes on bread',
      type: 'text',
      public: true,
      label: 'Tagline',
      declared: true,
      version: '5b2e1c0d9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c',
    },
  ],
} as const satisfies JSONSchema

/** A setting as clients see it. */
export type SettingView = Omit<FromSchema<typeof setting>, 'value'> & { value: unknown }

/** All settings. There are no pages. */
export const settings = {
  type: 'object',
  required: ['data'],
  additionalProperties: false,
  properties: { data: { type: 'array', items: setting } },
} as const satisfies JSONSchema

/** A value to be set. The feature checks it. */
export const settingInput = {
  title: 'SettingInput',
  type: 'object',
  required: ['value'],
  additionalProperties: false,
  properties: { value: { description: 'Of the type that the setting has; null for none, so that the default counts.' } },
  examples: [{ value: 'Notes on bread' }],
} as const satisfies JSONSchema

/** The response for a setting whose value was removed. */
export const removedSetting = {
  type: 'object',
  required: ['key', 'deleted'],
  additionalProperties: false,
  properties: { key: text, deleted: { type: 'boolean' } },
} as const satisfies JSONSchema

/** The path parameters: a setting, and a revision of it. */
export const params = {
  type: 'object',
  properties: {
    key: { ...text, description: 'The group and the name, with a dot between.', examples: ['site.tagline'] },
    ts: revisionName,
  },
} as const satisfies JSONSchema

/** Parameters of a read. */
export const readQuery = {
  type: 'object',
  additionalProperties: false,
  properties: { at: { ...text, description: 'A revision, a time or a commit: what was set then.' } },
} as const satisfies JSONSchema
