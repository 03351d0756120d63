/**
 * The way in which a host serves the pages of a site: `/x` from x/index.html (`directory`), `/x/` from it (`slash`), or `/x` from
 * x.html (`file`).
 */
export type UrlStyle = 'directory' | 'slash' | 'file'

/** An address that ends so is a file in a built site, whatever the style. */
const FILE = /\.html?$/i

/** Returns the address of the page at a path (in the spelling of `plainPath`), as links and hosts of a style spell it. */
export function pageHref(path: string, style: UrlStyle): string {
  return style !== 'slash' || path.endsWith('/') || FILE.test(path) ? path : `${path}/`
}

/** Returns the file of the page at a path in a built site, below its folder: `blog/a b/index.html` for `/blog/a%20b`. */
export function pageFile(path: string, style: UrlStyle): string {
  const name = decodeURIComponent(path.slice(1))
  if (FILE.test(name)) return name
  if (name === '') return 'index.html'
  return style === 'file' ? `${name}.html` : `${name}/index.html`
}
