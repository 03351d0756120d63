import type { Problem } from '#core/document.ts'
import { keyText } from '#core/key.ts'
import type { Asked } from '../files/asked.ts'
import { mediaIn } from '../files/media-source.ts'
import type { Entry } from '../outline/site-entries.ts'
import type { SiteSnapshot } from '../outline/site-snapshot.ts'
import type { Plan, Printable } from '../pages/page-renderer.ts'
import type { RenderContext } from '../pages/pages.ts'
import { type Destination, short } from './build-memory.ts'
import type { ShownNames } from './shown-names.ts'

/** A hash of what the views of a record are made of, and the keys of the records that they show. */
interface EntryInputs {
  readonly print: string
  readonly keys: readonly string[]
}

/** Makes the pages of a build, but for those that are as they would be made. */
export class Remake {
  readonly #to: Destination
  readonly #snapshot: SiteSnapshot
  readonly #context: RenderContext
  readonly #names: ShownNames
  /** Of entries: most are in several lists. */
  readonly #inputs = new Map<Entry, Promise<EntryInputs>>()

  /** The paths of the media that the pages lead to. */
  readonly media = new Set<string>()

  /** Problems with the pages that were made. */
  readonly problems: Problem[] = []

  constructor(to: Destination, snapshot: SiteSnapshot, context: RenderContext, names: ShownNames) {
    this.#to = to
    this.#snapshot = snapshot
    this.#context = context
    this.#names = names
  }

  /** Makes sure that a file has the page of a target; false if the record was removed. Throws TemplateFailure. */
  async page(file: string, target: Printable): Promise<boolean> {
    const { folder, memory } = this.#to
    const { renderer } = this.#context
    const plan = renderer.plan(target, this.#snapshot)
    const { inputs, keys } = await this.#inputsOf(plan)
    const shows = this.#names.of(target, keys)
    const made = memory.madeOf(file, inputs)
    const isSame = made !== undefined && (await this.#context.views.answers.areStill(made.asked, this.#snapshot))
    if (isSame && folder.leave(file, made.stamp, shows)) {
      memory.keep(file, made)
      for (const path of made.media) this.media.add(path)
      return true
    }
    const asked: Asked = new Map()
    const printed = await renderer.printPlan(plan, this.#snapshot, asked)
    if (!printed) return false
    if (printed.isPlain && plan.whole) this.problems.push(slow(plan.whole.entry))
    const stamp = folder.put(file, Buffer.from(printed.html), shows)
    const media = mediaIn(printed.html)
    for (const path of media) this.media.add(path)
    // What was written meanwhile is in the page, and not among its inputs.
    if (stamp !== undefined && !entriesOf(plan).some((entry) => this.#context.views.hasStrayed(entry)))
      memory.add(file, inputs, stamp, { asked: [...asked], media })
    return true
  }

  /**
   * All that the page of a plan depends on beside what the whole site does, but for what bodies ask; `keys` are those of the
   * records on it.
   */
  async #inputsOf(wanted: Plan): Promise<{ inputs: string; keys: readonly string[] }> {
    const { listed: _, whole, ...plan } = wanted
    const parts = await Promise.all(entriesOf(wanted).map((entry) => this.#inputsOfEntry(entry)))
    const prints = parts.map(({ print }) => print)
    const inputs = `${JSON.stringify([plan, whole?.as ?? null])}\n${prints.join('\n')}`
    return { inputs, keys: parts.flatMap(({ keys }) => keys) }
  }

  #inputsOfEntry(entry: Entry): Promise<EntryInputs> {
    const known = this.#inputs.get(entry) ?? this.#read(entry)
    this.#inputs.set(entry, known)
    return known
  }

  async #read(entry: Entry): Promise<EntryInputs> {
    const { text, keys } = await this.#context.views.inputs(entry, this.#snapshot)
    return { print: short(text), keys }
  }
}

function entriesOf({ listed, whole }: Plan): Entry[] {
  return [...(listed ?? []), ...(whole ? [whole.entry] : [])]
}

function slow({ key }: Entry): Problem {
  const message = 'The text takes too long to be made into a page: it is shown as it was written.'
  return { file: keyText(key), message, hint: 'Divide it, or make it simpler.', severity: 'warning' }
}
