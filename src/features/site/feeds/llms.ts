import { asLine, escaped } from '#markdown/reverse/inline.ts'
import type { Entry } from '../outline/entry.ts'
import { hrefOf, type SiteSnapshot } from '../outline/site-snapshot.ts'
import { hasTwin, twinOf } from '../outline/twins.ts'

/** The most records of a type that are named. */
const MOST_NAMED = 500

/** Returns the text of `llms.txt`: the pages of the site that may be found, by type and newest first, each as Markdown. */
export function llmsTxt(snapshot: SiteSnapshot, name: string): string {
  const { outline, settings } = snapshot
  const about = [settings.site?.description, settings.site?.tagline].find(
    (text) => typeof text === 'string' && text.trim() !== '',
  )
  const home = hasTwin('/', outline) ? [`- ${link(outline.index?.title ?? name, twinAt('/', snapshot))}\n`] : []
  const sections = [...outline.types.values()].map((entries) => sectionOf(entries, snapshot))
  const intro = typeof about === 'string' ? `> ${asLine(escaped(about))}\n\n` : ''
  return `# ${asLine(escaped(name))}\n\n${intro}${home.join('')}${sections.join('')}`
}

function sectionOf(entries: readonly Entry[], snapshot: SiteSnapshot): string {
  const shown = entries.filter(({ url, noindex }) => url !== null && url !== '/' && !noindex && hasTwin(url, snapshot.outline))
  const [first] = shown
  if (!first) return ''
  const lines = shown.slice(0, MOST_NAMED).map(({ title, url }) => `- ${link(title, twinAt(url ?? '/', snapshot))}\n`)
  const list = [...snapshot.outline.lists.values()].find((one) => one.entries === entries)
  const more = shown.length > MOST_NAMED && list ? [`- ${link('…', snapshot.origin + hrefOf(snapshot, list.url))}\n`] : []
  return `\n## ${asLine(escaped(first.type.label))}\n\n${[...lines, ...more].join('')}`
}

function twinAt(path: string, { origin, base }: SiteSnapshot): string {
  return origin + base + twinOf(path)
}

function link(title: string, address: string): string {
  return `[${asLine(escaped(title))}](${address.replace(/[()]/g, (sign) => (sign === '(' ? '%28' : '%29'))})`
}
