import type { Fields } from '#lib/json.ts'
import type { Asked } from '../files/asked.ts'
import type { Entry } from '../outline/entry.ts'
import type { SiteSnapshot } from '../outline/site-snapshot.ts'
import type { SummaryView } from '../pages/summaries.ts'
import type { Views } from '../pages/views.ts'
import type { Prints } from './prints.ts'

/** The fields of a record as templates get them, and what of the site they were made with. */
interface ShownFields {
  readonly fields: Readonly<Fields>
  readonly asked: Asked
}

interface Loaded {
  readonly fields: Map<Entry, ShownFields>
  readonly summaries: Map<Entry, SummaryView>
}

/** The parts of records that a page waits for. */
export interface Wanted {
  readonly fields: ReadonlySet<Entry>
  readonly summaries: ReadonlySet<Entry>
}

const AT_ONCE = 32

/** The parts of records that no snapshot holds: read when a template asks for them, then kept for other pages. */
export class RecordData {
  readonly #views: Views
  readonly #prints: Prints
  readonly #loaded = new WeakMap<SiteSnapshot, Loaded>()

  constructor(views: Views, prints: Prints) {
    this.#views = views
    this.#prints = prints
  }

  /** The fields of a record, if they are known; what they were made with is added to `asked`. */
  fields(entry: Entry, snapshot: SiteSnapshot, asked: Asked): Readonly<Fields> | undefined {
    const known = this.#of(snapshot).fields.get(entry)
    if (known) for (const [question, answer] of known.asked) asked.set(question, answer)
    return known?.fields
  }

  summary(entry: Entry, snapshot: SiteSnapshot): SummaryView | undefined {
    return this.#of(snapshot).summaries.get(entry)
  }

  async load({ fields, summaries }: Wanted, snapshot: SiteSnapshot): Promise<void> {
    const loaded = this.#of(snapshot)
    await inParts([...summaries], async (entry) => {
      // By which it is compared: what is written in between is shown, and taken for another.
      await this.#prints.of(entry, snapshot)
      loaded.summaries.set(entry, await this.#views.summaries.of(entry, snapshot))
    })
    const heads = await this.#views.documents.heads(fields, snapshot)
    await inParts([...fields], async (entry) => {
      const asked: Asked = new Map()
      const head = heads.get(entry)
      loaded.fields.set(entry, { fields: head ? await this.#views.fields(entry, head, snapshot, asked) : {}, asked })
    })
  }

  #of(snapshot: SiteSnapshot): Loaded {
    const loaded = this.#loaded.get(snapshot) ?? { fields: new Map(), summaries: new Map() }
    this.#loaded.set(snapshot, loaded)
    return loaded
  }
}

async function inParts<Item>(items: readonly Item[], run: (item: Item) => Promise<void>): Promise<void> {
  for (let start = 0; start < items.length; start += AT_ONCE) await Promise.all(items.slice(start, start + AT_ONCE).map(run))
}
