import type { Problem } from '#core/document.ts'
import { keyText } from '#core/key.ts'
import { cacheKey } from '#lib/cache-key.ts'
import { isOfLists, type ListAnswer } from '../data/questions.ts'
import { type FeedPlace, newestOf } from '../feeds/feed-places.ts'
import { hasExcerpts, titleOf } from '../feeds/feeds.ts'
import { type Asked, textsIn } from '../files/asked.ts'
import { mediaIn } from '../files/media-source.ts'
import type { Entry } from '../outline/site-entries.ts'
import type { SiteSnapshot } from '../outline/site-snapshot.ts'
import type { Printed } from '../pages/page-renderer.ts'
import type { RenderContext } from '../pages/pages.ts'
import type { Plan, Printable } from '../pages/plans.ts'
import type { MissingPicture } from '../pictures/page-pictures.ts'
import type { Theme } from '../theme/theme.ts'
import type { Destination, Made } from './build-memory.ts'
import type { Shows } from './out-manifest.ts'
import type { ShownNames } from './shown-names.ts'

/** The most questions that are kept with a page: one with more is made again by every build. */
const MOST_ASKED = 20_000

/** Makes the pages of a build, but for those that are as they would be made. */
export class Remake {
  readonly #to: Destination
  readonly #snapshot: SiteSnapshot
  readonly #context: RenderContext
  readonly #names: ShownNames

  /** The paths of the media that the pages lead to. */
  readonly media = new Set<string>()

  /** The missing pictures that are among the problems. */
  readonly #missing = new Set<string>()

  /** Problems with the pages that were made. */
  readonly problems: Problem[] = []

  constructor(to: Destination, snapshot: SiteSnapshot, context: RenderContext, names: ShownNames) {
    this.#to = to
    this.#snapshot = snapshot
    this.#context = context
    this.#names = names
  }

  /**
   * Makes sure that a file has the page of a target, and `twin` the same as Markdown; false if the record was removed. Throws
   * TemplateFailure.
   */
  async page(file: string, target: Printable, twin?: string): Promise<boolean> {
    const { folder, memory } = this.#to
    const { renderer } = this.#context
    const plan = renderer.plan(target, this.#snapshot)
    const { inputs, keys } = await this.#inputsOf(plan)
    const made = memory.madeOf(file, inputs)
    const shown = made && (await this.#shownStill(made.asked))
    const isLeft = made && shown && this.#isLeft(twin, inputs)
    const left = isLeft
      ? folder.leave(file, made.stamp, this.#shows(target, [...keys, ...this.#keysOfTexts(made.asked)], shown))
      : undefined
    if (made && left !== undefined) {
      memory.keep(file, made, left)
      for (const path of made.media) this.media.add(path)
      return true
    }
    const asked: Asked = new Map()
    const printed = await renderer.printPlan(plan, this.#snapshot, asked)
    if (!printed) return false
    if (printed.isPlain && plan.whole) this.problems.push(slow(plan.whole.entry))
    this.#noteMissing(printed, plan.facts.path)
    const lists = await this.#answersTo(printed.lists)
    for (const [question, { answer }] of lists) asked.set(question, answer)
    const texts = this.#keysOfTexts(asked)
    const stamp = folder.put(file, Buffer.from(printed.html), this.#shows(target, [...keys, ...texts], [...lists.values()]))
    const media = mediaIn(printed.html)
    for (const path of media) this.media.add(path)
    // What was written meanwhile is in the page, and not among its inputs.
    const entries = [
      ...entriesOf(plan),
      ...textsIn(asked, this.#snapshot),
      ...[...lists.values()].flatMap(({ entries }) => entries),
    ]
    const isRemembered =
      asked.size <= MOST_ASKED &&
      printed.missing.length === 0 &&
      !entries.some((entry) => this.#context.views.documents.hasStrayed(entry))
    if (stamp !== undefined && isRemembered) memory.add(file, inputs, stamp, { asked: [...asked], media })
    const ofTwin = twin !== undefined && printed.twin ? folder.put(twin, Buffer.from(printed.twin())) : undefined
    if (twin !== undefined && ofTwin !== undefined && isRemembered) memory.add(twin, inputs, ofTwin)
    return true
  }

  /** Leaves the twin of a page as it is, if it was made of the same. */
  #isLeft(twin: string | undefined, inputs: string): boolean {
    if (twin === undefined) return true
    const { folder, memory } = this.#to
    const made = memory.madeOf(twin, inputs)
    const left = made && folder.leave(twin, made.stamp)
    if (!made || left === undefined) return false
    memory.keep(twin, made, left)
    return true
  }

  /** Makes sure that a file has a feed. One with whole texts is made each time. */
  async feed(file: string, place: FeedPlace): Promise<void> {
    const { folder, memory } = this.#to
    const { feeds, prints } = this.#context
    const { listing, form } = place
    const parts = hasExcerpts(listing, this.#snapshot) ? newestOf(listing) : undefined
    const ofParts = await Promise.all((parts ?? []).map((entry) => prints.of(entry, this.#snapshot)))
    const name = titleOf(listing, this.#snapshot)
    const inputs = JSON.stringify([form.file, listing.url, name, ofParts.map(({ print }) => print)])
    const made = parts && memory.madeOf(file, inputs)
    const left = made && folder.leave(file, made.stamp)
    if (made && left !== undefined) return memory.keep(file, made, left)
    const stamp = folder.put(file, Buffer.from(await feeds.text(place, this.#snapshot)))
    const hasStrayed = parts?.some((entry) => this.#context.views.documents.hasStrayed(entry)) ?? true
    if (stamp !== undefined && !hasStrayed) memory.add(file, inputs, stamp)
  }

  /** Makes the page for what is not there. Throws TemplateFailure. */
  async missing(file: string): Promise<void> {
    const printed = await this.#context.renderer.notFound(this.#snapshot)
    const { html, lists } = printed
    this.#noteMissing(printed, '/404')
    const answers = await this.#answersTo(lists)
    this.#to.folder.put(file, Buffer.from(html), this.#shows(undefined, [], [...answers.values()]))
    for (const path of mediaIn(html)) this.media.add(path)
  }

  /**
   * All that the page of a plan depends on beside what the whole site does, but for what bodies ask; `keys` are those of the
   * records on it.
   */
  async #inputsOf(wanted: Plan): Promise<{ inputs: string; keys: readonly string[] }> {
    const { listed: _, whole, ...plan } = wanted
    const parts = await Promise.all(entriesOf(wanted).map((entry) => this.#context.prints.of(entry, this.#snapshot)))
    const prints = parts.map(({ print }) => print)
    const inputs = `${JSON.stringify([plan, whole?.as ?? null])}\n${prints.join('\n')}`
    return { inputs, keys: parts.flatMap(({ keys }) => keys) }
  }

  /** The answers about the lists that a page was made with, if all its questions are answered as they were. */
  async #shownStill(asked: Made['asked']): Promise<ListAnswer[] | undefined> {
    const { answers, views } = this.#context
    const others = asked.filter(([question]) => !isOfLists(question))
    if (!(await views.answers.areStill(others, this.#snapshot))) return undefined
    const still: ListAnswer[] = []
    for (const [question, answer] of asked) {
      if (!isOfLists(question)) continue
      const now = await answers.of(question, this.#snapshot)
      if (now.answer !== answer) return undefined
      still.push(now)
    }
    return still
  }

  #keysOfTexts(asked: Made['asked'] | Asked): string[] {
    return textsIn(asked, this.#snapshot).map(({ key }) => keyText(key))
  }

  /** The names that are kept with a page: of its own records, and of those in the lists that it asked for. */
  #shows(target: Printable | undefined, keys: readonly string[], lists: readonly ListAnswer[]): Shows {
    const all = [...keys, ...lists.flatMap((list) => list.keys)]
    const terms = lists.flatMap((list) => list.terms)
    const trees = lists.flatMap(({ tree }) => tree ?? [])
    return this.#names.of(target, [...new Set(all)], { terms, trees })
  }

  /** A picture that several pages lack is one problem. */
  #noteMissing({ missing }: Printed, page: string): void {
    for (const one of missing) {
      const name = cacheKey(one.template, one.line, one.href)
      if (this.#missing.has(name)) continue
      this.#missing.add(name)
      this.problems.push(lacking(one, page, this.#context.theme))
    }
  }

  async #answersTo(questions: readonly string[]): Promise<Map<string, ListAnswer>> {
    const answers = new Map<string, ListAnswer>()
    for (const question of questions) answers.set(question, await this.#context.answers.of(question, this.#snapshot))
    return answers
  }
}

function entriesOf({ listed, whole }: Plan): Entry[] {
  return [...(listed ?? []), ...(whole ? [whole.entry] : [])]
}

function lacking({ href, template, line }: MissingPicture, page: string, theme: Theme): Problem {
  const file = (template === undefined ? undefined : theme.fileOf(template)) ?? 'templates/site'
  const message = `The picture "${href}" that this asks for is not there: the page ${page} is made without it.`
  const hint = 'Put it where that leads, or correct the field that names it.'
  return { file, ...(line !== undefined && { line }), message, hint, severity: 'warning' }
}

function slow({ key }: Entry): Problem {
  const message = 'The text takes too long to be made into a page: it is shown as it was written.'
  return { file: keyText(key), message, hint: 'Divide it, or make it simpler.', severity: 'warning' }
}
