import { short } from '#lib/text/short-hash.ts'
import { treeQuestion } from '../data/questions.ts'
import type { MenuItem } from '../outline/menu.ts'
import type { SiteSnapshot } from '../outline/site-snapshot.ts'
import type { RenderContext } from '../pages/pages.ts'
import type { Printable } from '../pages/plans.ts'
import type { Shows } from './out-manifest.ts'

/** The most records of a page that are named. */
const MOST_NAMED = 2000
/** The name of a record that no site has: of a page with it, it is not known what it shows. */
const UNKNOWN = '-'

/** Returns whether it is known which records a page shows. */
export function isKnown({ own }: Shows): boolean {
  return own !== UNKNOWN
}

const NONE = { terms: [], trees: [] }

/** Characters of a name: enough to tell those of one site from each other. */
const LENGTH = 12

/** The short names of the records and terms that pages show: kept with a page, they say what its file has. */
export class ShownNames {
  readonly #snapshot: SiteSnapshot
  readonly #from: Pick<RenderContext, 'views' | 'answers'>
  readonly #shared: string
  /** Names by what they are of: most records are on several pages. */
  readonly #names = new Map<string, string>()

  constructor(snapshot: SiteSnapshot, from: Pick<RenderContext, 'views' | 'answers'>) {
    this.#snapshot = snapshot
    this.#from = from
    this.#shared = namesOf([...snapshot.menus.values()].flatMap(menuKeys).map(this.#ofRecord))
  }

  /** The names on the page of a target with these records, terms and trees; without a target, those on all pages. Those of many are not kept. */
  of(
    target?: Printable,
    keys: readonly string[] = [],
    { terms: urls, trees }: { terms: readonly string[]; trees: readonly string[] } = NONE,
  ): Shows {
    if (keys.length + urls.length > MOST_NAMED) return { own: UNKNOWN, shared: this.#shared }
    const terms = [...urls, ...(target ? this.#terms(target) : [])].map(this.#ofTerm)
    return { own: namesOf([...keys.map(this.#ofRecord), ...terms, ...trees.map(this.#ofTree)]), shared: this.#shared }
  }

  /** The names of records, by their keys as texts. */
  ofRecords(keys: Iterable<string>): Set<string> {
    return new Set([...keys].map(this.#ofRecord))
  }

  /** Resolves with a function that tells whether the site still shows all that a page does. */
  async current(): Promise<(shows: Shows) => boolean> {
    const { outline } = this.#snapshot
    const records = await this.#from.views.keys(this.#snapshot)
    const trees = [...outline.types.keys()].map((type) => this.#from.answers.of(treeQuestion(type), this.#snapshot))
    const shown = (await Promise.all(trees)).flatMap(({ tree }) => tree ?? [])
    const names = new Set([
      ...records.map(this.#ofRecord),
      ...[...outline.terms.keys()].map(this.#ofTerm),
      ...shown.map(this.#ofTree),
    ])
    return ({ own, shared }) => [own, shared].every((text) => text === '' || text.split(',').every((name) => names.has(name)))
  }

  readonly #ofRecord = (key: string): string => this.#nameOf(`record ${key}`)

  readonly #ofTerm = (url: string): string => this.#nameOf(`term ${url}`)

  readonly #ofTree = (tree: string): string => this.#nameOf(`tree ${tree}`)

  #nameOf(what: string): string {
    const name = this.#names.get(what) ?? short(what).slice(0, LENGTH)
    this.#names.set(what, name)
    return name
  }

  /** The addresses of the terms that a page names, but for those of its records. */
  #terms(target: Printable): readonly string[] {
    const { kin, taxonomies } = this.#snapshot.outline
    if (target.kind === 'terms') return target.terms.map(({ url }) => url)
    if (target.kind === 'search') return [...taxonomies.values()].flatMap(({ terms }) => terms.map(({ url }) => url))
    if (target.kind !== 'term') return []
    const { parents, children } = kin.around(target.listing, (url) => url)
    return [target.listing, ...parents, ...children].map(({ url }) => url)
  }
}

function menuKeys(items: readonly MenuItem[]): string[] {
  return items.flatMap(({ record, children }) => [...(record === null ? [] : [record]), ...menuKeys(children)])
}

function namesOf(names: readonly string[]): string {
  return [...new Set(names)].sort().join(',')
}
