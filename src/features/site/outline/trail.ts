import type { Outline } from './outline.ts'

/** A page on the way to another. */
export interface Step {
  readonly title: string
  /** On the site, without its prefix. */
  readonly url: string
}

/** The pages on the way to an address, from the top: those at the beginnings of its path, without itself and the home page. */
export function trailTo(outline: Outline, url: string): Step[] {
  const steps: Step[] = []
  for (let end = url.indexOf('/', 1); end > 0; end = url.indexOf('/', end + 1)) {
    const part = url.slice(0, end)
    const title = titleAt(outline, part)
    if (title !== undefined) steps.push({ title, url: part })
  }
  return steps
}

function titleAt({ records, lists, terms, taxonomies }: Outline, url: string): string | undefined {
  const overview = taxonomies.get(url)?.taxonomy.name
  const name = overview && overview.charAt(0).toUpperCase() + overview.slice(1)
  return records.get(url)?.title ?? lists.get(url)?.label ?? terms.get(url)?.name ?? name
}
