import { SEARCH_PAGE } from '#core/permalink.ts'
import { answersTo, entriesOf, inputsOf } from '../data/page-inputs.ts'
import { stillAnswered } from '../data/still-answered.ts'
import { inputsOfFeed } from '../feeds/feed-inputs.ts'
import { type FeedPlace, feedAt, newestOf } from '../feeds/feed-places.ts'
import { type Asked, textsIn } from '../files/asked.ts'
import type { Entry } from '../outline/entry.ts'
import type { MadeOf, SitePage, SiteSnapshot } from '../outline/site-snapshot.ts'
import { pageOfTwin } from '../outline/twins.ts'
import { FOR_ROBOTS } from '../outline/yielding.ts'
import { feedOf, missingOf, pageOf, twinPageOf } from '../pages/page-answers.ts'
import type { Printed } from '../pages/page-renderer.ts'
import { pageAt, pageTargetAt, type RenderContext } from '../pages/pages.ts'
import { listsOf, type Plan } from '../pages/plans.ts'
import { MISSING } from './missing.ts'

/** The most questions that are kept with a page: one with more is made again for each state of the site. */
const MOST_ASKED = 5_000
/** Paths of files that are made whole of many records, or belong to the theme. */
const OF_FILES = new RegExp(`^/(?:sitemap[^/]*\\.xml$|assets/|${SEARCH_PAGE.slice(1)}/)`)

/** The sort of what is made at a path, where it is known what that is made of. */
type Sort =
  | { readonly as: 'page' | 'twin'; readonly plan: Plan }
  | { readonly as: 'feed'; readonly place: FeedPlace }
  | { readonly as: 'missing' }

/** The site in one state, and what makes pages of it. */
interface Of {
  readonly snapshot: SiteSnapshot
  readonly context: RenderContext
}

/** The answer at a path (see `pageAt`) with all that it is made of, as far as that can be told. Throws TemplateFailure. */
export async function servedAt(path: string, of: Of): Promise<SitePage | undefined> {
  const { snapshot, context } = of
  const sort = context.theme.isSteady ? sortAt(path, of) : undefined
  if (!sort) return path === MISSING ? missingOf(await context.renderer.notFound(snapshot)) : pageAt(path, snapshot, context)
  // What is written while it is made is in the page, and not among its inputs: then it is made again.
  const inputs = await inputsAt(sort, of)
  const { page, asked, entries } = await madeAt(sort, of)
  const { documents } = context.views
  const hasStrayed = [...entries, ...textsIn(asked, snapshot)].some((entry) => documents.hasStrayed(entry))
  if (!page || hasStrayed || asked.size > MOST_ASKED) return page
  return { ...page, madeOf: { basis: context.renderer.basis(snapshot), inputs, asked: [...asked] } }
}

/** Returns whether the answer at a path would be made alike of another state of the site, with the same theme. */
export async function isStill(path: string, { basis, inputs, asked }: MadeOf, of: Of): Promise<boolean> {
  const sort = basis === of.context.renderer.basis(of.snapshot) ? sortAt(path, of) : undefined
  if (!sort || inputs !== (await inputsAt(sort, of))) return false
  return (await stillAnswered(asked, of.snapshot, of.context)) !== undefined
}

function sortAt(path: string, { snapshot, context }: Of): Sort | undefined {
  if (path === MISSING) return { as: 'missing' }
  if (FOR_ROBOTS.includes(path) || OF_FILES.test(path)) return undefined
  const ofTwin = pageOfTwin(path, snapshot.outline)
  const place = ofTwin === undefined ? feedAt(path, snapshot) : undefined
  if (place) return { as: 'feed', place }
  const target = pageTargetAt(ofTwin ?? path, snapshot, context)
  if (!target || target.kind === 'redirect') return undefined
  return { as: ofTwin === undefined ? 'page' : 'twin', plan: context.renderer.plan(target, snapshot) }
}

async function inputsAt(sort: Sort, { snapshot, context: { prints } }: Of): Promise<string> {
  const inputs =
    sort.as === 'missing'
      ? JSON.stringify(listsOf(snapshot))
      : sort.as === 'feed'
        ? await inputsOfFeed(sort.place, snapshot, prints)
        : (await inputsOf(sort.plan, snapshot, prints)).inputs
  return `${sort.as} ${inputs}`
}

/** A page, what was asked for it, and the records that it is made of. */
interface Made {
  readonly page: SitePage | undefined
  readonly asked: Asked
  readonly entries: readonly Entry[]
}

async function madeAt(sort: Sort, of: Of): Promise<Made> {
  const { snapshot, context } = of
  if (sort.as === 'feed') {
    const written = await context.feeds.written(sort.place, snapshot)
    return { page: feedOf(sort.place, written), asked: written.asked, entries: newestOf(sort.place.listing) }
  }
  if (sort.as === 'missing') {
    const printed = await context.renderer.notFound(snapshot)
    return { page: missingOf(printed), ...(await askedWith(printed, of)) }
  }
  const printed = await context.renderer.printPlan(sort.plan, snapshot, new Map())
  if (!printed) return { page: undefined, asked: new Map(), entries: [] }
  const { asked, entries } = await askedWith(printed, of)
  const page = sort.as === 'twin' ? await twinPageOf(printed, context.twins) : pageOf(printed)
  return { page, asked, entries: [...entriesOf(sort.plan), ...entries] }
}

/** All questions that were asked for a page, those about lists too, and the records in the answers. */
async function askedWith(printed: Printed, { snapshot, context }: Of): Promise<Pick<Made, 'asked' | 'entries'>> {
  const lists = await answersTo(printed.lists, snapshot, context.answers)
  const asked: Asked = new Map(printed.asked)
  for (const [question, { answer }] of lists) asked.set(question, answer)
  return { asked, entries: [...lists.values()].flatMap(({ entries }) => entries) }
}
