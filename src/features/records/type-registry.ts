import type { Access } from '#core/access/access.ts'
import { shownFields } from '#core/access/shown-fields.ts'
import { extentOf, narrowedTo } from '#core/queries/extent.ts'
import { isKnownType, seesAllTypes } from '#core/queries/known-types.ts'
import { formatRules } from '#core/rules/parse.ts'
import type { Store } from '#core/store.ts'
import type { ContentType, ContentTypes, Field } from '#core/types/content-type.ts'
import { Failure, Forbidden, NotFound } from '#lib/errors.ts'
import { mustMay } from './rights.ts'
import type { FieldView, ItemView, TypeView } from './schemas/type.ts'

/** The types that exist for a reader: the declared ones and those that a folder implies. */
export class TypeRegistry {
  readonly #store: Store
  readonly #types: ContentTypes

  constructor(store: Store, types: ContentTypes) {
    this.#store = store
    this.#types = types
  }

  /**
   * The type of that name if the reader may know of it; throws NotFound. Whether a type without a schema holds anything is not
   * asked: see `mustExist`.
   */
  named(access: Access, name: string): ContentType {
    const type = access.sees(name) ? this.#types.get(name) : undefined
    if (!type) throw noType(name)
    return type
  }

  /** As `named`; throws Forbidden for a caller who may not read its records. */
  readable(access: Access, name: string): ContentType {
    const type = this.named(access, name)
    mustMay(access, 'content:read', name)
    return type
  }

  /** Throws NotFound for a type that does not exist for the caller; see `isKnownType`. */
  async mustExist(access: Access, type: ContentType): Promise<void> {
    if (!(await isKnownType(this.#store, access, type))) throw noType(type.name)
  }

  /**
   * Runs `work` on a type. Whatever a caller from whom types are hidden does wrong with one that is not there for them, the answer is
   * that there is none, be it hidden or nowhere.
   */
  async within<T>(access: Access, name: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      const isTheirs = error instanceof Failure && error.status < 500
      throw isTheirs && (await this.#mayBeHidden(access, name)) ? noType(name) : error
    }
  }

  /** False for a type that is there for the caller, and for every name where nothing is hidden from them. */
  async #mayBeHidden(access: Access, name: string): Promise<boolean> {
    if (!access.sees(name)) return true
    const type = this.#types.get(name)
    if (type && (await isKnownType(this.#store, access, type))) return false
    const declared = this.#types.declared()
    return !declared.every((type) => access.sees(type.name)) || !(await seesAllTypes(this.#store, access))
  }

  /** All types the reader may read, the declared ones first, in the configuration's order. */
  async views(access: Access): Promise<TypeView[]> {
    const declared = this.#types.declared()
    const kinds = (await this.#store.kinds()).filter((kind) => !declared.some((type) => type.name === kind))
    const implied = kinds.flatMap((kind) => this.#types.get(kind) ?? [])
    const seen = [...declared, ...implied].filter((type) => access.sees(type.name))
    const readable = seen.filter((type) => access.may('content:read', type.name))
    if (readable.length === 0 && !access.may('content:read')) throw new Forbidden('This needs the right content:read.')
    const known = await Promise.all(readable.map((type) => isKnownType(this.#store, access, type)))
    return Promise.all(readable.filter((_, n) => known[n]).map((type) => this.#view(access, type)))
  }

  /** Returns one type; throws NotFound if it does not exist. */
  async view(access: Access, name: string): Promise<TypeView> {
    const type = this.readable(access, name)
    await this.mustExist(access, type)
    return this.#view(access, type)
  }

  async #view(access: Access, type: ContentType): Promise<TypeView> {
    const { total } = await this.#store.heads(type.name, { ...narrowedTo(extentOf(access, type.name)), limit: 0 })
    return {
      name: type.name,
      label: type.label,
      fields: [...shownFields(access, type.fields).values()].map(fieldView),
      columns: [...type.columns],
      statuses: [...type.statuses.values()].map(({ name, live, to }) => ({ name, live, to: [...to] })),
      taxonomies: type.taxonomies.map((kind) => kind.name),
      count: total,
    }
  }
}

function fieldView(field: Field): FieldView {
  return { name: field.name, ...itemView(field) }
}

function itemView({ label, help, type, rules, to, options, multiple, of, fields, accept, default: first }: Field): ItemView {
  return {
    label,
    ...(help !== undefined && { help }),
    type,
    rules: formatRules(rules),
    ...(to !== undefined && { to }),
    ...(options && { options: [...options] }),
    ...(multiple && { multiple }),
    ...(of && { of: itemView(of) }),
    ...(fields && { fields: [...fields.values()].map(fieldView) }),
    ...(accept && { accept: [...accept] }),
    ...(first !== undefined && { default: first }),
  }
}

function noType(name: string): NotFound {
  return new NotFound(`There is no content type "${name}".`)
}
