import type { Access } from '#core/access/access.ts'
import type { Field } from '#core/types/content-type.ts'
import { holds, rewritten } from '#core/types/fields.ts'
import type { Fields } from '#lib/json.ts'
import type { FileResource } from '../../file-resource.ts'
import type { Resource } from '../../resource.ts'
import type { MediaWords, ReferenceWords, Referred } from './reference-view.ts'

/** Most things that a form names of those that a reference may lead to: as many as a select shows well. */
export const MOST_OFFERED = 100

/** The beginning of the kinds of terms: a field of terms refers to one. */
const TERMS = 'taxonomy/'

/** The reader of a form, and the finder of the resources that they see: `content/<type>`, or a taxonomy by its name. */
export interface Referring {
  readonly access: Access
  readonly user: { readonly name: string }
  readonly find: (access: Access, name: string) => Promise<Resource | undefined>
}

/** Looks up what the references in these fields may lead to, and says so in a form; `values` are those of a record, undefined for a new one. */
export async function referenceWords(
  referring: Referring,
  fields: readonly Field[],
  values: Readonly<Fields> | undefined,
): Promise<ReferenceWords> {
  const all = await referredBy(referring, fields, values ?? {})
  const { access, user } = referring
  const author = fields.find(({ name }) => name === 'author')
  return {
    referredBy: (field) => {
      const referred = field.to === undefined ? undefined : all.get(field.to)
      return referred && field === author ? withSelf(referred, access.handle, user.name) : referred
    },
    media: await mediaWords(referring, fields),
    blankOf: (field) => (field === author && !values && access.handle !== undefined ? `You (${user.name})` : undefined),
  }
}

/** Returns the words of media where one of these fields takes a file; undefined where none does, or the reader sees none. */
export async function mediaWords(
  { access, find }: Omit<Referring, 'user'>,
  fields: readonly Field[],
): Promise<MediaWords | undefined> {
  if (!fields.some((field) => holds(field, (part) => part.type === 'media'))) return undefined
  const files = await find(access, 'media')
  if (!files || !isOfFiles(files)) return undefined
  return { url: `/admin/${files.name}`, mayUpload: files.mayUpload(access), pictureOf: (path) => files.pictureOf(path) }
}

function isOfFiles(resource: Resource): resource is FileResource {
  return 'pictureOf' in resource
}

/** Adds the reader: an author needs no record. */
function withSelf(referred: Referred, handle: string | undefined, name: string): Referred {
  if (handle === undefined || referred.offered.some(({ value }) => value === handle)) return referred
  return { ...referred, offered: [...referred.offered, { value: handle, label: `${name} (you)` }] }
}

/** Looks up things once for each type that is pointed to. */
async function referredBy(
  { access, find }: Referring,
  fields: readonly Field[],
  values: Readonly<Fields>,
): Promise<ReadonlyMap<string, Referred>> {
  const held = new Map<string, Set<string>>()
  const note = (field: Field, id?: unknown) => {
    if (field.type !== 'reference' || field.to === undefined) return
    const ids = held.get(field.to) ?? new Set()
    held.set(field.to, typeof id === 'string' && id !== '' && ids.size < MOST_OFFERED ? ids.add(id) : ids)
  }
  for (const field of fields) {
    // Looks at all that is declared within, and takes nothing for wanted.
    holds(field, (part) => note(part) ?? false)
    rewritten(field, values[field.name], (part, value) => note(part, value) as undefined)
  }
  const found = await Promise.all([...held].map(async ([to, ids]) => [to, await referred(access, to, [...ids], find)] as const))
  return new Map(found.flatMap(([to, one]) => (one ? [[to, one] as const] : [])))
}

async function referred(
  access: Access,
  to: string,
  ids: readonly string[],
  find: Referring['find'],
): Promise<Referred | undefined> {
  const resource = await find(access, resourceNameOf(to))
  if (!resource?.offers) return undefined
  const search = `/admin/${resource.name}/offered`
  // Terms are typed, and counted where they are listed: they are searched once somebody types.
  if (to.startsWith(TERMS)) return { offered: [], isWhole: false, search }
  const { offered, total } = await resource.offers(access, { most: MOST_OFFERED })
  const isWhole = total <= offered.length
  const names = new Set(offered.map(({ value }) => value))
  const others = isWhole ? [] : ids.filter((id) => !names.has(id))
  const own = others.length === 0 ? [] : (await resource.offers(access, { most: MOST_OFFERED, ids: others })).offered
  const url = `/admin/${resource.name}`
  return {
    offered: [...own, ...offered],
    isWhole,
    search,
    ...(resource.create && resource.mayCreate(access) && { create: { label: `New ${resource.singular}`, url: `${url}/create` } }),
  }
}

function resourceNameOf(to: string): string {
  return to.startsWith(TERMS) ? to.slice(TERMS.length) : `content/${to}`
}
