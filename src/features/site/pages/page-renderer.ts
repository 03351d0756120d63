import { keyText } from '#core/key.ts'
import { type LinkPlace, resolving } from '#core/links/resolve.ts'
import { SEARCH_PAGE } from '#core/permalink.ts'
import type { Markdown } from '#markdown/markdown.ts'
import { type DataSources, PageData } from '../data/page-data.ts'
import { type Asked, placeAtTop, placeOf } from '../files/asked.ts'
import type { Entry } from '../outline/entry.ts'
import { PerSnapshot } from '../outline/per-snapshot.ts'
import { hrefOf, type SiteSnapshot } from '../outline/site-snapshot.ts'
import { hasTwin, twinOf as twinPath } from '../outline/twins.ts'
import type { MissingPicture, PagePictures } from '../pictures/page-pictures.ts'
import { withFirstPicture, withPictures } from '../pictures/picture-html.ts'
import { mayBeSearched } from '../searching/place.ts'
import { during } from '../theme/template-failure.ts'
import type { Theme } from '../theme/theme.ts'
import { bodyHtml } from './body-html.ts'
import { menusView, menuViews } from './menu-views.ts'
import { PageImages } from './page-image.ts'
import { descriptionOf, listsOf, missingFacts, type PageFacts, type Plan, type Printable, planOf } from './plans.ts'
import { basisOf, directionOf, type SiteFacts } from './site-facts.ts'
import { type Described, describedSite, structuredData } from './structured-data.ts'
import { type Twin, twinOf } from './twin.ts'
import type { RecordView, Views } from './views.ts'
import { legible } from './well-formed.ts'

/** A page as HTML; `trusted` where it holds HTML that was not cleaned. */
export interface Printed {
  readonly html: string
  readonly trusted: boolean
  /** The questions that were asked of the site: those about pictures at least. */
  readonly asked: Asked
  /** Set where the body of the record could not be made in time, and is shown as it was written. */
  readonly isPlain?: true
  /** The questions about lists of the site that its template asked. */
  readonly lists: readonly string[]
  /** The pictures that its template asked for and that are not there. */
  readonly missing: readonly MissingPicture[]
  /** Returns what its text as Markdown is made of, where it has one. */
  readonly twin?: () => Twin
}

/** The sources of a page beside the data of its template. */
interface Shown extends Partial<Pick<Described, 'image' | 'record'>> {
  readonly data: PageData
  readonly links: LinkPlace
  readonly pictures: PagePictures
}

/** The most times that a template runs for one page: each time it may ask for something more that has to be read. */
const MOST_ROUNDS = 8

/** Prints targets with a theme: gathers what each template is given, and renders it. */
export class PageRenderer {
  readonly #facts: SiteFacts
  readonly #theme: Theme
  readonly #views: Views
  readonly #sources: DataSources
  readonly #markdown: Markdown
  readonly #images: PageImages
  readonly #dir: 'ltr' | 'rtl'
  readonly #bases = new PerSnapshot((_: 'all', snapshot) => basisOf(this.site(snapshot), snapshot))
  /** Templates that read the fields of the records in their lists. */
  readonly #withFields = new Set<string>()
  /** Templates that ask for pictures. */
  readonly #withPictures = new Set<string>()

  constructor(facts: SiteFacts, theme: Theme, views: Views, sources: DataSources, markdown: Markdown) {
    this.#sources = sources
    this.#markdown = markdown
    this.#facts = facts
    this.#dir = directionOf(facts.locale)
    this.#theme = theme
    this.#views = views
    this.#images = new PageImages(views.answers)
  }

  /** Renders the page of a target; undefined if its record was removed since the snapshot. Throws TemplateFailure. */
  async print(target: Printable, snapshot: SiteSnapshot): Promise<Printed | undefined> {
    return this.printPlan(this.plan(target, snapshot), snapshot)
  }

  /** As `print`, of a plan. What the bodies of records ask is put down in `asked`. */
  printPlan(plan: Plan, snapshot: SiteSnapshot, asked?: Asked): Promise<Printed | undefined> {
    const record = plan.whole && keyText(plan.whole.entry.key)
    return during({ path: plan.facts.path, record }, this.#printed(plan, snapshot, asked))
  }

  async #printed(plan: Plan, snapshot: SiteSnapshot, asked: Asked | undefined): Promise<Printed | undefined> {
    const questions: Asked = asked ?? new Map()
    const whole = plan.whole && (await this.#views.record(plan.whole.entry, snapshot, asked, questions))
    if (plan.whole?.as === 'record' && !whole) return undefined
    const facts = whole ? { ...plan.facts, description: descriptionOf(whole) } : plan.facts
    const pictures = this.#views.pictures(snapshot, { asked: questions, knows: plan.whole?.entry.knows })
    const image = await this.#images.ofPage(plan, whole, snapshot, { asked: questions, pictures })
    const data = new PageData(snapshot, this.#sources, questions, plan.whole?.entry.url ?? facts.path)
    const listed = plan.listed ?? []
    await data.foresee(listed, 'summaries')
    if (this.#withFields.has(plan.template)) await data.foresee(listed, 'fields')
    const links = plan.whole
      ? placeOf(plan.whole.entry, snapshot, snapshot.base, questions)
      : placeAtTop(facts.path, snapshot, questions)
    if (this.#withPictures.has(plan.template) && whole) await pictures.foresee(Object.values(whole.fields))
    const printed = await this.#render(
      plan.template,
      snapshot,
      facts,
      { data, links, pictures, image, ...(plan.whole?.as === 'record' && { record: whole }) },
      Object.assign(
        { ...plan.data },
        plan.listed && { records: listed.map((entry) => data.item(entry)) },
        plan.section && { section: sectionView(plan.section, data, snapshot) },
        plan.whole && { [plan.whole.as]: whole ? wholeView(whole, plan.whole.entry, data) : null },
      ),
    )
    if (data.hasReadFields) this.#withFields.add(plan.template)
    if (pictures.hasAny) this.#withPictures.add(plan.template)
    const twin = whole && (() => twinOf(whole, { html: printed.html, canonical: snapshot.origin + hrefOf(snapshot, facts.path) }))
    const trusted = plan.whole?.entry.type.html === 'trusted'
    return Object.assign({ ...printed }, { asked: questions, trusted }, whole?.isPlain && { isPlain: true }, twin && { twin })
  }

  /** Returns the plan of a target's page, without the data read from its records. */
  plan(target: Printable, snapshot: SiteSnapshot): Plan {
    const { words } = this.#theme
    const place = { name: this.#facts.name, text: (name: string) => words.text(name) }
    return planOf(target, snapshot, { ...place, hasTemplate: (name) => this.#theme.has(name) })
  }

  /** The page that says there is no such page. */
  async notFound(snapshot: SiteSnapshot): Promise<Printed> {
    const facts = missingFacts({ text: (name) => this.#theme.words.text(name) })
    const asked: Asked = new Map()
    const data = new PageData(snapshot, this.#sources, asked, facts.path)
    const pictures = this.#views.pictures(snapshot, { asked })
    const shown = { data, links: placeAtTop(facts.path, snapshot, asked), pictures }
    return { ...(await this.#render('404', snapshot, facts, shown, { lists: listsOf(snapshot) })), asked }
  }

  /** Returns a text of all that each page depends on beside the theme. */
  basis(snapshot: SiteSnapshot): string {
    return this.#bases.of('all', snapshot)
  }

  /** Returns the data about the site that every template gets. */
  site(snapshot: SiteSnapshot): object {
    const { base, origin, outline } = snapshot
    const { name, locale, timezone, searchable } = this.#facts
    const search = searchable && mayBeSearched(outline) ? hrefOf(snapshot, SEARCH_PAGE) : null
    const place = { url: origin + base, base, home: `${base}/`, feed: `${base}/feed.xml`, search }
    return { name, locale, dir: this.#dir, timezone, ...place }
  }

  /** Runs a template until it has read everything that it asks for. */
  async #render(
    template: string,
    snapshot: SiteSnapshot,
    facts: PageFacts,
    { data, links, pictures, image, record }: Shown,
    given: object,
  ): Promise<Omit<Printed, 'asked'>> {
    const { base, origin } = snapshot
    const { resolve, fileAt: fileHref } = resolving(links)
    const options = { title: '', trusted: false, resolve, fileAt: fileHref }
    const markdown = (text: string) => withPictures(bodyHtml(this.#markdown, text, options).html, pictures)
    const place = { base, origin, now: snapshot.made, pageAt: links.pageAt, pictures, markdown, fileHref }
    const href = hrefOf(snapshot, facts.path)
    const { path, kind, title, description, noindex, og, breadcrumbs, feeds } = facts
    const canonical = origin + href
    const described = { facts, canonical, image, record }
    const site = describedSite(this.#facts, snapshot)
    const all = {
      site: Object.assign(this.site(snapshot), {
        records: data.records,
        sections: data.sections,
        taxonomies: data.taxonomies,
        data: this.#theme.data.values,
      }),
      page: {
        kind,
        title,
        description,
        noindex,
        og,
        breadcrumbs,
        feeds,
        url: href,
        canonical,
        image: image ?? null,
        markdown: hasTwin(path, snapshot.outline) && !noindex ? base + twinPath(path) : null,
        get json_ld() {
          return structuredData(described, site)
        },
      } satisfies Omit<PageFacts, 'path'> & Record<string, unknown>,
      menu: menuViews(snapshot.menu, path, snapshot),
      menus: menusView(snapshot, path),
      settings: snapshot.settings,
    }
    // What stands after a spread is added property by property, some fifteen times as slowly.
    Object.assign(all, given)
    const failing = { path, given: Object.assign({ ...given }, all) }
    for (let round = 1; ; round++) {
      const rendered = during(failing, this.#theme.render(template, all, place))
      const html = await rendered.catch((error: unknown) => {
        // It may have failed for want of what is not read yet.
        if (!data.isWaiting && !pictures.isWaiting) throw error
        return ''
      })
      if (!data.isWaiting && !pictures.isWaiting)
        return { html: withFirstPicture(legible(html)), trusted: false, lists: data.questions(), missing: pictures.missing }
      if (round === MOST_ROUNDS)
        throw this.#theme.failure(template, `it asks for more each of the ${MOST_ROUNDS} times it is run`)
      await data.load()
      await pictures.load()
    }
  }
}

/** The record of a page, for its template, with those around it. */
function wholeView(record: RecordView, entry: Entry, data: PageData): object {
  return {
    ...record,
    get next() {
      return data.beside(entry).next
    },
    get previous() {
      return data.beside(entry).previous
    },
    get related() {
      return data.list(['related', keyText(entry.key)])
    },
    get backlinks() {
      return data.list(['backlinks', keyText(entry.key)])
    },
  }
}

/** A section, with the records below it and the pages of the sections right in it. */
function sectionView({ title, url }: NonNullable<Plan['section']>, data: PageData, snapshot: SiteSnapshot): object {
  return {
    title,
    url: hrefOf(snapshot, url),
    get records() {
      return data.list(['section', url])
    },
    get sections() {
      return data.list(['sections', url])
    },
  }
}
