import type { PagePart, PartCell, PartLink } from '#module/panel.ts'
import { chartView } from './chart-view.ts'

type Table = Extract<PagePart, { kind: 'table' }>

/** The page that parts are drawn on. */
export interface DrawnOn {
  /** Its address, below which its files are. */
  readonly url: string
  readonly locale: string
}

const NUMBER = /^[+\-−]?[\d.,'’\s\u00a0\u202f]+ ?%?$/u

/** Returns what the template `module-page` shows of the parts: tables that follow one another stand side by side, two and two. */
export function partsView(
  parts: readonly PagePart[],
  page: DrawnOn,
): { readonly links: object | undefined; readonly parts: object[] } {
  const [first] = parts
  const leads = first?.kind === 'links' ? first : undefined
  const views: object[] = []
  let open: object[] | undefined
  for (const part of leads ? parts.slice(1) : parts) {
    if (part.kind === 'table' && part.columns.length <= 3) {
      if (open?.length === 1) {
        open.push(tableView(part, page))
        continue
      }
      open = [tableView(part, page)]
      views.push({ kind: 'tables', tables: open })
      continue
    }
    open = undefined
    views.push(viewOf(part, page))
  }
  return { links: leads && linksView(leads.links, page), parts: views }
}

function viewOf(part: PagePart, page: DrawnOn): object {
  switch (part.kind) {
    case 'text':
      return { kind: 'text', paragraphs: part.text.split(/\n{2,}/), is_note: part.isNote === true }
    case 'figures':
      return part
    case 'chart':
      return { kind: 'chart', chart: chartView(part, page.locale) }
    case 'table':
      return { kind: 'tables', tables: [tableView(part, page)] }
    case 'links':
      return { kind: 'links', ...linksView(part.links, page) }
    default:
      return part satisfies never
  }
}

/** Links with an icon are buttons, those of which one is current are segments, all others are a line of links. */
function linksView(links: readonly PartLink[], page: DrawnOn): object {
  const buttons = links.filter(({ icon }) => icon !== undefined)
  const others = links.filter(({ icon }) => icon === undefined).map((link) => ({ ...link, url: addressOf(link.url, page) }))
  const isChoice = others.some(({ isCurrent }) => isCurrent !== undefined)
  return {
    segments: isChoice ? others.map(({ label, url, isCurrent }) => ({ label, url, is_current: isCurrent === true })) : [],
    links: isChoice ? [] : others,
    buttons: buttons.map(({ label, url, icon }) => ({ label, url: addressOf(url, page), icon })),
  }
}

function tableView({ label, columns, rows, empty }: Table, page: DrawnOn): object {
  const isNumber = columns.map((_, n) => rows.length > 0 && rows.every((row) => NUMBER.test(textOf(row[n] ?? ''))))
  return {
    label,
    columns: columns.map((text, n) => ({ text, is_end: isNumber[n] === true })),
    rows: rows.map((row) => columns.map((_, n) => cellView(row[n] ?? '', isNumber[n] === true, page))),
    empty: empty ?? 'Nothing yet.',
    is_wide: columns.length > 3,
  }
}

function cellView(cell: PartCell, isEnd: boolean, page: DrawnOn): object {
  const { url, share } = typeof cell === 'string' ? { url: undefined, share: undefined } : cell
  return {
    text: textOf(cell),
    is_end: isEnd,
    ...(url !== undefined && { url: addressOf(url, page) }),
    ...(share !== undefined && { share: String(Math.round(share * 1000) / 10) }),
  }
}

function textOf(cell: PartCell): string {
  return typeof cell === 'string' ? cell : cell.text
}

/** The address of a link: one that begins with `./` is that of a file of the page. */
function addressOf(url: string, page: DrawnOn): string {
  return url.startsWith('./') ? `${page.url}/${url.slice(2)}` : url
}
