/** An attribute of a tag: what stands from `start`, blanks left out, to `end`. `value` is as it is written, and ends at `valueEnd`. */
export interface HtmlAttribute {
  readonly name: string
  readonly value: string | undefined
  readonly start: number
  readonly valueEnd: number
  readonly end: number
}

/** A tag `<img>`: where its attributes begin and end, and what they are. */
export interface PictureTag {
  readonly start: number
  readonly end: number
  readonly attributes: readonly HtmlAttribute[]
}

const RAW = /^(?:script|style|textarea|title|xmp|template|iframe|noembed|noframes|plaintext)$/i
/** Matches HTML in which what looks like a tag may be none. */
const HAS_TEXTS = /<(?:!--|script|style|textarea|title|xmp|template|iframe|noembed|noframes|plaintext)/i
const NAME = /[a-z][a-z0-9-]*/iy
const ATTRIBUTE = /([\s/]*)([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/y
const PICTURE = '<img'
/** The longest HTML that is gone through where what looks like a tag may be none: it takes long. */
const LONGEST = 1024 * 1024

/**
 * Goes through the tags of raw HTML as a browser finds them: not those in comments, scripts and the like. `take` is given the name of
 * each and the offset behind it, and returns that behind its attributes. Returns whether the HTML ends within a comment. Linear.
 */
export function walkTags(html: string, take: (name: string, from: number) => number): boolean {
  let at = html.indexOf('<')
  while (at >= 0) {
    if (html.startsWith('<!--', at)) {
      const end = html.indexOf('-->', at + 4)
      if (end < 0) return true
      at = html.indexOf('<', end + 3)
      continue
    }
    NAME.lastIndex = at + 1
    const name = NAME.exec(html)?.[0]
    if (name === undefined) {
      at = html.indexOf('<', at + 1)
      continue
    }
    const end = take(name, NAME.lastIndex)
    at = html.indexOf('<', RAW.test(name) ? pastText(html, end, name) : end)
  }
  return false
}

/** The attribute of a tag that stands at an offset, or behind blanks there; undefined where there is none. */
export function attributeAt(html: string, from: number): HtmlAttribute | undefined {
  ATTRIBUTE.lastIndex = from
  const match = ATTRIBUTE.exec(html)
  if (!match) return undefined
  const [whole, before = '', name = '', double, single, bare] = match
  const value = double ?? single ?? bare
  const end = from + whole.length
  return { name, value, start: from + before.length, end, valueEnd: bare === undefined ? end - 1 : end }
}

/** The pictures in HTML, as a browser finds them, at most so many. None where to find them takes too long. */
export function pictureTags(html: string, most: number): PictureTag[] {
  const found: PictureTag[] = []
  let at = html.indexOf(PICTURE)
  if (at < 0) return found
  if (!HAS_TEXTS.test(html)) {
    for (; at >= 0 && found.length < most; at = html.indexOf(PICTURE, at)) {
      at += PICTURE.length
      if (/[\s/]/.test(html[at] ?? '')) at = found[found.push(pictureAt(html, at)) - 1]?.end ?? at
    }
  } else if (html.length <= LONGEST) {
    walkTags(html, (name, from) => {
      const tag = pictureAt(html, from)
      if (name.toLowerCase() === 'img' && found.length < most) found.push(tag)
      return tag.end
    })
  }
  return found
}

function pictureAt(html: string, start: number): PictureTag {
  const attributes: HtmlAttribute[] = []
  let end = start
  for (let next = attributeAt(html, end); next; next = attributeAt(html, end)) {
    attributes.push(next)
    end = next.end
  }
  return { start, end, attributes }
}

/** After the text of an element that holds no tags. */
function pastText(html: string, from: number, name: string): number {
  const close = new RegExp(`</${name}`, 'gi')
  close.lastIndex = from
  const match = close.exec(html)
  return match ? match.index : html.length
}
