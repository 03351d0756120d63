import type { FromSchema, JSONSchema } from 'json-schema-to-ts'
import { manyWith, one } from '#http/answers/shapes.ts'
import { revisionName } from '#http/past/revisions.ts'
import { type ListMeta, listMeta, pagingQuery } from '#http/requests/paging.ts'

const text = { type: 'string' } as const
const textOrNull = { type: ['string', 'null'] } as const
const name = { ...text, description: 'What its file is called, and templates call it.', examples: ['main'] } as const
const NEWS = { id: 'qbnxtwkc', label: 'News', url: '/news', record: null, new_tab: false, children: [] }

/** The shape of an item of a menu. */
export const menuItem = {
  title: 'MenuItem',
  type: 'object',
  required: ['id', 'label', 'url', 'record', 'new_tab', 'children'],
  additionalProperties: false,
  properties: {
    id: { ...text, description: 'Made by Quire, and kept wherever the item goes.' },
    label: { ...textOrNull, description: 'null: it is called as the record that it leads to.' },
    url: { ...textOrNull, description: 'A path on the site, or an address; null for a mere heading and where it is a record.' },
    record: {
      type: ['object', 'null'],
      required: ['type', 'id'],
      additionalProperties: false,
      properties: { type: text, id: text },
      description: 'The record that it leads to, wherever that is.',
    },
    new_tab: { type: 'boolean' },
    children: {
      type: 'array',
      items: { $ref: '#/components/schemas/MenuItem' },
      description: 'The items below it, up to eight levels.',
    },
  },
  examples: [NEWS],
} as const satisfies JSONSchema

/** The shape of a menu. */
export const menu = {
  title: 'Menu',
  type: 'object',
  required: ['name', 'label', 'items', 'version'],
  additionalProperties: false,
  properties: {
    name,
    label: textOrNull,
    items: { type: 'array', items: menuItem, description: 'Without those whose target the reader may not see.' },
    version: { ...text, description: 'The git blob id of its file.' },
  },
  examples: [{ name: 'main', label: 'Main menu', items: [NEWS], version: '8a5fe1c1d3b0e9c6f47a2b1d0c9e8f7a6b5c4d3e' }],
} as const satisfies JSONSchema

/** An item as clients see it. */
export type ItemView = Omit<FromSchema<typeof menuItem>, 'children'> & { readonly children: readonly ItemView[] }

/** A menu as clients see it. */
export type MenuView = Omit<FromSchema<typeof menu>, 'items'> & { readonly items: readonly ItemView[] }

/** The position of a list, and what is left out of it. */
export type MenuListMeta = ListMeta & { readonly omitted?: readonly 'items'[] }

/** A menu in a list; without items where the answer would be too long. */
export type ListedMenu = Omit<MenuView, 'items'> & Partial<Pick<MenuView, 'items'>>

/** Menus, and which part of the list they are. */
export const menus = manyWith(
  { ...menu, title: 'ListedMenu', required: ['name', 'label', 'version'] } as const,
  {
    ...listMeta,
    title: 'MenuListMeta',
    properties: {
      ...listMeta.properties,
      omitted: {
        type: 'array',
        items: { type: 'string', enum: ['items'] },
        description: 'Fields that are left out, since the answer would be over 8 MiB with them.',
      },
    },
  } as const,
)

/** The path parameters: the name of a menu, and of a revision of it. */
export const params = { type: 'object', properties: { name, ts: revisionName } } as const satisfies JSONSchema

const at = { ...text, description: 'A revision, a time or a commit: as it was then.' } as const

/** Parameters of the list. */
export const listQuery = {
  ...pagingQuery,
  properties: { ...pagingQuery.properties, at },
} as const satisfies JSONSchema

/** Parameters of one menu. */
export const getQuery = { type: 'object', additionalProperties: false, properties: { at } } as const satisfies JSONSchema

/** A menu to be made or changed. The feature checks the values. */
export const menuInput = {
  title: 'MenuInput',
  type: 'object',
  additionalProperties: true,
  properties: {
    name: { description: 'Needed for a new menu: small letters, digits, ".", "_" and "-".' },
    label: { description: 'A text on one line, or null.' },
    items: { description: 'The whole tree, as it is answered. An item without an id is a new one.' },
  },
  examples: [{ name: 'footer', label: 'Footer', items: [{ label: 'News', url: '/news' }] }],
} as const satisfies JSONSchema

/** A menu as a change left it. */
export const changedMenu = {
  type: 'object',
  required: ['data'],
  additionalProperties: false,
  properties: {
    data: menu,
    meta: {
      title: 'MenuMeta',
      type: 'object',
      additionalProperties: false,
      properties: { merged: { type: 'boolean', description: 'True where changes of others since the base were kept.' } },
    },
  },
} as const satisfies JSONSchema

/** The response for a removed menu. */
export const removedMenu = one({
  title: 'RemovedMenu',
  type: 'object',
  required: ['name', 'deleted'],
  additionalProperties: false,
  properties: { name, deleted: { type: 'boolean', const: true } },
} as const satisfies JSONSchema)

/** Parameters of a change. */
export const updateQuery = {
  type: 'object',
  additionalProperties: false,
  properties: {
    base: { ...text, description: 'The version the change started from: what was done since is merged by the ids of items.' },
  },
} as const satisfies JSONSchema
