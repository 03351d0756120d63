import type { Access } from '#core/access/access.ts'
import { NO_BYTES, type Version } from '#core/document.ts'
import type { ContentTypes, Field, Taxonomy } from '#core/types/content-type.ts'
import { fieldOf, labelOf } from '#core/types/fields.ts'
import { pagingOf } from '#http/requests/paging.ts'
import type { QueryParams } from '#http/requests/query.ts'
import type { Fields } from '#lib/json.ts'
import type { Offered, Offering } from '../../offered.ts'
import type { Resource, Resources, ResourceWrite, Row, Rows, SourceText, Tree } from '../../resource.ts'
import { sourceOf } from '../../source-text.ts'
import { IMPLIED } from '../past.ts'
import type { TermAnswer, Terms } from '../terms.ts'

/** Most parts of the list, of a hundred terms each, that a form offers to choose from. */
const MOST_PAGES = 5

/** The taxonomies of a site in the panel: one resource each, by its name. */
export class TermResources implements Resources {
  readonly #terms: Terms
  readonly #types: ContentTypes

  constructor(terms: Terms, types: ContentTypes) {
    this.#terms = terms
    this.#types = types
  }

  async seen(access: Access): Promise<Resource[]> {
    return this.#types
      .taxonomies()
      .map((one) => new TermResource(this.#terms, one))
      .filter((one) => one.sees(access))
  }

  named(name: string): Resource | undefined {
    const found = this.#types.taxonomies().find((one) => one.name === name)
    return found && new TermResource(this.#terms, found)
  }
}

/** The terms of a taxonomy in the panel. */
class TermResource implements Resource {
  readonly name: string
  readonly label: string
  readonly singular: string
  readonly group = 'arrange'
  readonly icon: string
  readonly layout = 'form'
  readonly editPage = 'terms'
  readonly isSearched = true
  readonly columns = ['count', 'description']
  readonly sorts = ['name', 'count']
  readonly removal = 'It is taken out of all records that bear it, in one commit. Choose another term to put that in its place.'
  readonly tree?: NonNullable<Resource['tree']>
  readonly #terms: Terms
  readonly #taxonomy: Taxonomy

  constructor(terms: Terms, taxonomy: Taxonomy) {
    if (taxonomy.hierarchical) this.tree = (access, params) => this.#tree(access, params)
    this.#terms = terms
    this.#taxonomy = taxonomy
    this.name = taxonomy.name
    this.label = labelOf(taxonomy.name)
    this.singular = taxonomy.singular
    this.icon = taxonomy.hierarchical ? 'categories' : 'tag'
  }

  sees(access: Access): boolean {
    return access.may('content:read')
  }

  fields(access: Access, row?: Row): readonly Field[] {
    const { hierarchical, singular } = this.#taxonomy
    const help = row
      ? `Another one becomes the ${singular} of all records that bear this.`
      : 'Made of the name while it is empty.'
    const own = [
      fieldOf('name', { type: 'text', rules: 'required|max:200' }),
      fieldOf('slug', { type: 'slug', label: 'Id', help }),
    ]
    const parent = hierarchical ? [fieldOf('parent', { type: 'select', help: `The ${singular} that this is below.` })] : []
    return this.mayCreate(access) ? [...own, ...parent, fieldOf('description', { type: 'markdown' })] : [...own, ...parent]
  }

  async options(access: Access, row?: Row): Promise<Record<string, readonly Offered[]>> {
    const all: Offered[] = []
    for (let page = 1; page <= MOST_PAGES; page++) {
      const { data, meta } = await this.#terms.list(access, this.name, { page: String(page), per_page: '100' })
      all.push(...data.filter(({ id }) => id !== row?.id).map(({ id, name }) => ({ value: id, label: name })))
      if (page >= meta.last_page) break
    }
    return { parent: all, replace_with: all }
  }

  async offers(access: Access, { most, q = '' }: Offering) {
    const { rows, total } = await this.list(access, { q, per_page: String(most) })
    return { offered: rows.map(({ id, title }) => ({ value: id, label: title })), total }
  }

  removalFields(): readonly Field[] {
    return [fieldOf('replace_with', { type: 'select', label: 'In its place', help: 'Nothing: the records go without it.' })]
  }

  mayCreate(access: Access): boolean {
    return access.may('taxonomy:write')
  }

  mayUpdate(access: Access): boolean {
    return access.may('taxonomy:write')
  }

  async list(access: Access, params: QueryParams): Promise<Rows> {
    const { q = '', ...others } = params
    const { page, perPage } = pagingOf(others)
    const { data, meta } = await this.#terms.list(access, this.name, others, q)
    return { rows: data.map(rowOf), total: meta.total, page, perPage }
  }

  async get(access: Access, id: string): Promise<Row> {
    return answered(await this.#terms.get(access, this.name, id))
  }

  async inVersion(access: Access, id: string, version: Version): Promise<Row | undefined> {
    const found = await this.#terms.inVersion(access, this.name, id, version === NO_BYTES ? IMPLIED : version)
    if (!found) return undefined
    const { view } = await this.#terms.get(access, this.name, id)
    return { ...rowOf({ ...view, ...found, name: found.name ?? view.name }), version }
  }

  async source(access: Access, id: string): Promise<SourceText | undefined> {
    return sourceOf(await this.#terms.source(access, this.name, id))
  }

  apiPath(id: string): string {
    return `/api/cms/taxonomy/${this.name}/${encodeURIComponent(id)}`
  }

  async create(access: Access, values: Fields, { asked }: ResourceWrite): Promise<Row> {
    return answered(await this.#terms.create(access, { ...values, type: this.singular }, asked))
  }

  async update(access: Access, id: string, values: Fields, { asked, base }: ResourceWrite): Promise<Row> {
    const from = base === NO_BYTES ? IMPLIED : base
    return answered(await this.#terms.update(access, this.name, id, values, { asked, base: from }))
  }

  async remove(access: Access, id: string, { asked }: ResourceWrite, { replace_with: other }: Fields): Promise<void> {
    await this.#terms.remove(access, this.name, id, { asked, ...(typeof other === 'string' && { replaceWith: other }) })
  }

  async #tree(access: Access, params: QueryParams): Promise<Tree> {
    const { data, meta } = await this.#terms.tree(access, this.name, params)
    const rows = data.map(({ view, depth, version = NO_BYTES }) => ({ ...rowOf(view), version, depth }))
    return { rows, total: meta.total, page: meta.current_page, perPage: meta.per_page }
  }
}

function rowOf(view: TermAnswer['view']): Row {
  return { id: view.id, title: view.name, values: { ...view } }
}

function answered({ view, version }: TermAnswer): Row {
  return { ...rowOf(view), version: version === IMPLIED ? NO_BYTES : version }
}
