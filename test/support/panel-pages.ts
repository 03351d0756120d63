import { tagsOf } from './page-form.ts'
import type { PanelAnswer, PanelBrowser } from './panel.ts'

/** A page that was got. */
export interface GotPage extends PanelAnswer {
  readonly url: string
  /** The page that first linked it. */
  readonly from: string
}

/**
 * Gets all pages of the panel that links lead to, each address once, in whatever order its parameters are, and with two of them at
 * most; `leavesOut` those that are not to be followed.
 */
export async function* pagesFrom(
  browser: PanelBrowser,
  starts: readonly string[] = ['/admin'],
  leavesOut: (url: string) => boolean = () => false,
): AsyncGenerator<GotPage> {
  const known = new Map(starts.map((url) => [url, '']))
  for (const [url, from] of known) {
    const answer = await browser.get(url)
    yield { ...answer, url, from }
    if (!String(answer.headers['content-type']).startsWith('text/html')) continue
    for (const link of linksOf(answer.html, url)) if (!known.has(link) && !leavesOut(link)) known.set(link, url)
  }
}

/** Links of lists combine all that was chosen: each pair is enough. */
const MOST_PARAMETERS = 2

/** Returns the addresses of the panel that a page links. */
function linksOf(html: string, base: string): string[] {
  return [...tagsOf(html)].flatMap(({ name, attributes }) => {
    const href = name === 'a' ? attributes.get('href') : undefined
    if (href === undefined || href.startsWith('#')) return []
    const url = new URL(href, `http://panel.test${base}`)
    url.searchParams.sort()
    if (url.searchParams.size > MOST_PARAMETERS) return []
    return url.host === 'panel.test' && /^\/admin(?:\/|$)/.test(url.pathname) ? [url.pathname + url.search] : []
  })
}

const ADDRESSES: ReadonlySet<string> = new Set(['href', 'src', 'action', 'formaction', 'poster', 'data', 'xlink:href', 'srcset'])
const NEVER: ReadonlySet<string> = new Set(['iframe', 'object', 'embed', 'base', 'style', 'applet', 'math', 'foreignobject'])

/** Returns whether a tag is the panel's own frame for previews: apart from the origin of the panel. */
function isPreview(name: string, attributes: ReadonlyMap<string, string>): boolean {
  const isApart = attributes.get('sandbox') === 'allow-scripts' && !attributes.has('srcdoc')
  return name === 'iframe' && isApart && attributes.get('src')?.startsWith('/admin/preview/') === true
}

/** Returns what could run in a page, or leads where only a hostile text would lead; `mark` is in all hostile texts. */
export function dangersIn(html: string, mark: string): string[] {
  const found: string[] = []
  for (const { name, attributes, rest } of tagsOf(html)) {
    const tag = `<${name} ${[...attributes].map(([key, value]) => `${key}="${value}"`).join(' ')}${rest}>`.slice(0, 300)
    if (name.includes(mark) || (NEVER.has(name) && !isPreview(name, attributes))) found.push(tag)
    // What is left of a tag that is well-formed.
    if (!/^\s*\/?$/.test(rest) && name !== '!doctype' && name !== '!--') found.push(`${tag} is no tag`)
    if (name === 'script' && !attributes.get('src')?.startsWith('/admin/assets/')) found.push(tag)
    if (name === 'meta' && attributes.has('http-equiv')) found.push(tag)
    for (const [key, value] of attributes) {
      if (key.startsWith('on') || key === 'style' || key === 'srcdoc' || key.includes(mark)) found.push(tag)
      const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(value.replaceAll(/[\0-\x20]/g, ''))?.[1]?.toLowerCase()
      if (ADDRESSES.has(key) && scheme !== undefined && !/^(?:https?|mailto|blob)$/.test(scheme)) found.push(tag)
      if (/^(?:src|action|formaction)$/.test(key) && /^[\s\\/]*[\\/]{2}/.test(value)) found.push(tag)
    }
  }
  return found
}
