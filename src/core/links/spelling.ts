import type { Destination } from './destination.ts'

type Form = Destination['form'] | 'plain'

/** Characters that must be escaped in an address, by the syntax it is written in. `?`, `#` and `%` are escaped in all of them. */
const UNSAFE: Readonly<Record<Form, RegExp>> = {
  bare: /[\p{Cc}\s?#%()<>\\"'&[\]]/gu,
  angle: /[\p{Cc}\r\n?#%<>\\&]/gu,
  auto: /[\p{Cc}\s?#%()<>\\"'&[\]*_]/gu,
  html: /[\p{Cc}\s?#%<>\\"'&`=]/gu,
  plain: /[\p{Cc}\s?#%]/gu,
  wiki: /[\p{Cc}#|[\]]/gu,
}

/** A path of files as a link is written. */
export function fileAddress(path: string, form: Form): string {
  return path.replace(UNSAFE[form], encodeURIComponentWhole)
}

/**
 * The path of a page (percent-encoded) as a link is written: with the slash or `index.html` at the end that `like` has, and in
 * its letters where it has any.
 */
export function pageAddress(url: string, like: string, form: Form): string {
  const end = /\/(?:index\.html)?$/.exec(like)?.[0] ?? ''
  const ended = url === '/' || url.endsWith(end) ? url : url + end
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what is not ASCII
  const isLettered = /[^\x00-\x7f]/.test(like) && !ended.includes('%25')
  const text = isLettered ? lettered(ended) : ended
  return text.replace(UNSAFE[form], (character) => (character === '%' ? character : encodeURIComponentWhole(character)))
}

function lettered(url: string): string {
  try {
    return decodeURI(url)
  } catch {
    return url
  }
}

/** The way from a folder to a path, with `./` before it where `like` has it. Neither begins with a slash, or `to` alone. */
export function relativePath(folder: string, to: string, like: string): string {
  const start = folder === '' ? [] : folder.split('/')
  const parts = to.replace(/^\//, '').split('/')
  const most = Math.min(start.length, parts.length - 1)
  let same = 0
  while (same < most && start[same] === parts[same]) same++
  const way = '../'.repeat(start.length - same) + parts.slice(same).join('/')
  if (way.startsWith('../')) return way
  const needsDot = way === '' || way.startsWith('/') || /^[^/]*:/.test(way) || like.startsWith('./')
  return needsDot ? `./${way}` : way
}

/** As `encodeURIComponent`, of the marks too that it leaves as they are. */
function encodeURIComponentWhole(character: string): string {
  const encoded = encodeURIComponent(character)
  return encoded === character ? `%${character.charCodeAt(0).toString(16).toUpperCase()}` : encoded
}
