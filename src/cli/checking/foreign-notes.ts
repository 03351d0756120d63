import { firstLine } from '#features/site/checking/lines.ts'
import { Slices } from '#lib/concurrency/slices.ts'
import { type Foreign, type ForeignKind, ForeignSyntax } from '#markdown/foreign.ts'
import type { Quire } from '../open/site.ts'

/** A kind of syntax in all texts of a site. */
interface Total {
  count: number
  records: number
  readonly names: Set<string>
  /** The place where it is first. */
  readonly first: string
}

const SHOWN = 'they are shown as text'
const KINDS: Readonly<Record<ForeignKind, readonly [what: string, outcome: string]>> = {
  hugo: ['Shortcodes of Hugo', SHOWN],
  liquid: ['Tags of Liquid, Jinja or Nunjucks ({% %})', SHOWN],
  braces: ['Expressions in braces ({{ }})', SHOWN],
  components: ['Components of JSX or Vue', 'they are left out, and what stands in them is shown'],
  modules: ['Lines of modules (import, export)', 'they are left out at the beginning of a text, and shown elsewhere'],
  attributes: ['Attributes in braces ({:.class}, {.class})', SHOWN],
  wikilinks: ['Links in double brackets ([[ ]])', SHOWN],
  containers: ['Containers that are not known here (:::)', 'what stands in them is shown without a box'],
  admonitions: ['Admonitions of MkDocs (!!!, ???)', SHOWN],
  erb: ['Tags of ERB (<% %>)', SHOWN],
  wordpress: ['Shortcodes of WordPress', SHOWN],
}
const MOST_NAMES = 5

/** Sentences, one a kind, about the syntax of other tools in texts that have pages. */
export async function foreignNotes(site: Quire): Promise<string[]> {
  const syntax = new ForeignSyntax()
  const shortcodes = await site.features.site.shortcodes()
  const totals = new Map<ForeignKind, Total>()
  const slices = new Slices()
  for (const kind of await site.store.kinds()) {
    const type = site.types.get(kind)
    if ((type?.permalink ?? null) === null) continue
    for (const { key, problem } of (await site.store.heads(kind, {})).items) {
      if (slices.isOver) await slices.pause()
      const document = problem?.severity === 'error' ? undefined : await site.store.get(key)
      for (const [kind, found] of document ? syntax.find(document.body, shortcodes) : []) {
        if (kind === 'wikilinks' && type?.wikilinks) continue
        const known = totals.get(kind)
        if (known) add(known, found)
        else totals.set(kind, await begun(site, document, found))
      }
    }
  }
  return [...totals].map(sentence)
}

async function begun(site: Quire, document: Awaited<ReturnType<Quire['store']['get']>>, found: Foreign): Promise<Total> {
  const file = document && (await site.fileOf(document.key))
  const line = document && firstLine(document)
  const first = `${file}${line === undefined ? '' : `:${line + found.line}`}`
  return { count: found.count, records: 1, names: new Set(found.names), first }
}

function add(total: Total, { count, names }: Foreign): void {
  total.count += count
  total.records++
  for (const name of names) if (total.names.size < MOST_NAMES) total.names.add(name)
}

function sentence([kind, { count, records, names, first }]: [ForeignKind, Total]): string {
  const [what, outcome] = KINDS[kind]
  const named = names.size === 0 ? '' : ` (${[...names].sort().join(', ')})`
  return `${what}${named}: ${count} in ${records === 1 ? '1 record' : `${records} records`}, first in ${first}; ${outcome}.`
}
