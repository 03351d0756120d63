import type { Problem } from '#core/document.ts'
import { keyText } from '#core/key.ts'
import { answersTo, entriesOf, inputsOf, type PageInputs } from '../data/page-inputs.ts'
import type { Print } from '../data/prints.ts'
import type { ListAnswer } from '../data/questions.ts'
import { stillAnswered } from '../data/still-answered.ts'
import { inputsOfFeed } from '../feeds/feed-inputs.ts'
import { type FeedPlace, newestOf } from '../feeds/feed-places.ts'
import { type Asked, textsIn } from '../files/asked.ts'
import { mediaIn } from '../files/media-source.ts'
import type { Entry } from '../outline/entry.ts'
import type { SiteSnapshot } from '../outline/site-snapshot.ts'
import type { Printed } from '../pages/page-renderer.ts'
import type { RenderContext } from '../pages/pages.ts'
import { listsOf, type Plan, type Printable } from '../pages/plans.ts'
import type { Destination, Made } from './build-memory.ts'
import type { Shows } from './out-manifest.ts'
import { PageProblems } from './page-problems.ts'
import type { ShownNames } from './shown-names.ts'
import type { Unchanged } from './unchanged.ts'

/** The most questions that are kept with a page: one with more is made again by every build. */
const MOST_ASKED = 20_000

/** A page of a build. */
interface Page extends PageInputs {
  readonly file: string
  readonly target: Printable
  /** The file of the same as Markdown. */
  readonly twin: string | undefined
  readonly plan: Plan
}

/** The site that pages are made of. `unchanged`: absent where it is another than that of the last build in more than some records. */
interface Of {
  readonly snapshot: SiteSnapshot
  readonly context: RenderContext
  readonly names: ShownNames
  readonly unchanged: Unchanged | undefined
}

/** Makes the pages of a build, but for those that are as they would be made. */
export class Remake {
  readonly #to: Destination
  readonly #snapshot: SiteSnapshot
  readonly #context: RenderContext
  readonly #names: ShownNames
  readonly #unchanged: Unchanged | undefined

  /** The paths of the media that the pages lead to. */
  readonly media = new Set<string>()

  readonly #problems: PageProblems

  constructor(to: Destination, { snapshot, context, names, unchanged }: Of) {
    this.#to = to
    this.#snapshot = snapshot
    this.#context = context
    this.#names = names
    this.#unchanged = unchanged
    this.#problems = new PageProblems(context.theme)
  }

  /** Problems with the pages that were made. */
  get problems(): readonly Problem[] {
    return this.#problems.found
  }

  /**
   * Makes sure that a file has the page of a target, and `twin` the same as Markdown; false if the record was removed. Answers at
   * once where they stay as they are. Throws, or rejects with, TemplateFailure.
   */
  page(file: string, target: Printable, twin?: string): boolean | Promise<boolean> {
    const isLeft = this.#isLeftUnseen(file, twin)
    return isLeft instanceof Promise
      ? isLeft.then((is) => is || this.#compared(file, target, twin))
      : isLeft || this.#compared(file, target, twin)
  }

  #compared(file: string, target: Printable, twin: string | undefined): boolean | Promise<boolean> {
    const plan = this.#context.renderer.plan(target, this.#snapshot)
    const inputs = inputsOf(plan, this.#snapshot, this.#context.prints)
    const of = (made: PageInputs) => this.#pageOf({ file, target, twin, plan, ...made })
    return inputs instanceof Promise ? inputs.then(of) : of(inputs)
  }

  /** Leaves a page as an earlier build made it, where nothing that it is made of can have changed; false where that is not known. */
  #isLeftUnseen(file: string, twin: string | undefined): boolean | Promise<boolean> {
    const { folder, memory } = this.#to
    const made = memory.of(file)
    if (!made || !this.#unchanged?.isWithout(folder.shownOn(file, made.stamp))) return false
    const still = stillAnswered(this.#unchanged.doubtful(made), this.#snapshot, this.#context)
    const end = (lists: readonly ListAnswer[] | undefined) => lists !== undefined && this.#isLeft({ file, twin }, made)
    return still instanceof Promise ? still.then(end) : end(still)
  }

  #pageOf(page: Page): boolean | Promise<boolean> {
    const made = this.#to.memory.madeOf(page.file, page.inputs)
    const shown = made && stillAnswered(made.asked, this.#snapshot, this.#context)
    const end = (lists: readonly ListAnswer[] | undefined) =>
      (made && lists && this.#isLeft(page, made, () => this.#shows(page.target, page.prints, lists, made.asked))) ||
      this.#make(page)
    return shown instanceof Promise ? shown.then(end) : end(shown)
  }

  async #make({ file, target, twin, plan, inputs, prints }: Page): Promise<boolean> {
    const { folder, memory } = this.#to
    const asked: Asked = new Map()
    const printed = await this.#context.renderer.printPlan(plan, this.#snapshot, asked)
    if (!printed) return false
    if (printed.isPlain && plan.whole) this.#problems.slow(plan.whole.entry)
    this.#problems.lacking(printed, plan.facts.path)
    const lists = await answersTo(printed.lists, this.#snapshot, this.#context.answers)
    for (const [question, { answer }] of lists) asked.set(question, answer)
    const shows = this.#shows(target, prints, [...lists.values()], asked)
    const media = mediaIn(printed.html)
    for (const path of media) this.media.add(path)
    const isRemembered = this.#mayRemember(printed, asked, [...lists.values()], entriesOf(plan))
    folder.put(file, printed.html, shows, (stamp) => {
      if (isRemembered) memory.add(file, inputs, stamp, { asked: [...asked], media })
    })
    if (twin === undefined || !printed.twin) return true
    folder.put(twin, printed.twin(), undefined, (stamp) => {
      if (isRemembered) memory.add(twin, inputs, stamp)
    })
    return true
  }

  /** Leaves a page, and its twin, as an earlier build made them; false where either is another by now. */
  #isLeft({ file, twin }: Pick<Page, 'file' | 'twin'>, made: Made, shows?: () => Shows): boolean {
    const { folder, memory } = this.#to
    const ofTwin = twin === undefined ? undefined : memory.madeAs(twin, made)
    const leftTwin = twin === undefined || ofTwin === undefined ? undefined : folder.leave(twin, ofTwin.stamp)
    if (twin !== undefined && leftTwin === undefined) return false
    const left = folder.leave(file, made.stamp, shows)
    if (left === undefined) return false
    if (twin !== undefined && ofTwin && leftTwin !== undefined) memory.keep(twin, ofTwin, leftTwin)
    memory.keep(file, made, left)
    for (const path of made.media) this.media.add(path)
    return true
  }

  /** Makes sure that a file has a feed. */
  async feed(file: string, place: FeedPlace): Promise<void> {
    const { folder, memory } = this.#to
    const { feeds, prints, views } = this.#context
    const entries = newestOf(place.listing)
    if (this.#unchanged?.hasNoneOf(entries) && (await this.#isLeftAlone(file, memory.of(file)))) return
    const inputs = await inputsOfFeed(place, this.#snapshot, prints)
    if (await this.#isLeftAlone(file, memory.madeOf(file, inputs))) return
    const { text, asked } = await feeds.written(place, this.#snapshot)
    const hasStrayed = [...entries, ...textsIn(asked, this.#snapshot)].some((entry) => views.documents.hasStrayed(entry))
    folder.put(file, text, undefined, (stamp) => {
      if (!hasStrayed && asked.size <= MOST_ASKED) memory.add(file, inputs, stamp, { asked: [...asked] })
    })
  }

  /** Makes sure that a file has the page for what is not there. Throws TemplateFailure. */
  async missing(file: string): Promise<void> {
    const { folder, memory } = this.#to
    const { outline } = this.#snapshot
    const pages = [...outline.lists.values()].flatMap(({ index }) => (index ? { print: '', keys: [keyText(index.key)] } : []))
    const shows = (lists: readonly ListAnswer[]) => this.#shows(undefined, pages, lists)
    const inputs = `${file} ${JSON.stringify(listsOf(this.#snapshot))}`
    if (await this.#isLeftAlone(file, memory.madeOf(file, inputs), shows)) return
    const printed = await this.#context.renderer.notFound(this.#snapshot)
    const { html } = printed
    const asked: Asked = new Map(printed.asked)
    this.#problems.lacking(printed, '/404')
    const lists = await answersTo(printed.lists, this.#snapshot, this.#context.answers)
    for (const [question, { answer }] of lists) asked.set(question, answer)
    const media = mediaIn(html)
    for (const path of media) this.media.add(path)
    const isRemembered = this.#mayRemember(printed, asked, [...lists.values()])
    folder.put(file, html, shows([...lists.values()]), (stamp) => {
      if (isRemembered) memory.add(file, inputs, stamp, { asked: [...asked], media })
    })
  }

  /** Leaves what is no page of a target as an earlier build made it, where all it asked is as it was; false where it is another by now. */
  async #isLeftAlone(file: string, made: Made | undefined, shows?: (lists: readonly ListAnswer[]) => Shows): Promise<boolean> {
    const { folder, memory } = this.#to
    const lists = made && (await stillAnswered(made.asked, this.#snapshot, this.#context))
    const left = made && lists && folder.leave(file, made.stamp, shows && (() => shows(lists)))
    if (!made || left === undefined) return false
    memory.keep(file, made, left)
    for (const path of made.media) this.media.add(path)
    return true
  }

  /** Returns whether a page may be remembered: what was written meanwhile is in it, and not among its inputs. */
  #mayRemember({ missing }: Printed, asked: Asked, lists: readonly ListAnswer[], own: readonly Entry[] = []): boolean {
    const { documents } = this.#context.views
    const entries = [...own, ...textsIn(asked, this.#snapshot), ...lists.flatMap(({ entries }) => entries)]
    return asked.size <= MOST_ASKED && missing.length === 0 && !entries.some((entry) => documents.hasStrayed(entry))
  }

  /** The names that are kept with a page: of its own records, and of those in the lists that it asked for. */
  #shows(
    target: Printable | undefined,
    own: readonly Print[],
    lists: readonly ListAnswer[],
    asked: Made['asked'] | Asked = [],
  ): Shows {
    const keys = new Set([...own, ...lists.flatMap(({ prints }) => prints)].flatMap((print) => print.keys))
    for (const { key } of textsIn(asked, this.#snapshot)) keys.add(keyText(key))
    const terms = lists.flatMap((list) => list.terms)
    const trees = lists.flatMap(({ tree }) => tree ?? [])
    return this.#names.of(target, [...keys], { terms, trees })
  }
}
