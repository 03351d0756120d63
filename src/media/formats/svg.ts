/** Characters of an SVG in which its root has to begin and end. */
const BEGINNING = 16 * 1024

const LENGTH = /^\+?(\d{1,6}(?:\.\d{1,9})?)(?:px)?$/
const VIEW = /^\S+[\s,]+\S+[\s,]+(\d{1,6}(?:\.\d{1,9})?)[\s,]+(\d{1,6}(?:\.\d{1,9})?)$/

/**
 * Returns the size of an SVG in pixels, by the beginning of its text: what its root says, else what its `viewBox` does; undefined
 * where neither tells one.
 */
export function svgSize(text: string): { readonly width: number; readonly height: number } | undefined {
  const root = rootOf(text.slice(0, BEGINNING))
  const [width, height] = [root.get('width'), root.get('height')].map((side) => LENGTH.exec(side?.trim() ?? '')?.[1])
  const [, across, down] = VIEW.exec(root.get('viewBox')?.trim() ?? '') ?? []
  return sized(width, height) ?? sized(across, down)
}

function sized(width: string | undefined, height: string | undefined) {
  const size = { width: Math.round(Number(width)), height: Math.round(Number(height)) }
  return size.width >= 1 && size.height >= 1 ? size : undefined
}

/** The attributes of the root: the first tag that is called `svg`, in no comment. */
function rootOf(text: string): ReadonlyMap<string, string> {
  let at = 0
  for (let open = text.indexOf('<'); open >= 0; open = text.indexOf('<', at)) {
    const isComment = text.startsWith('<!--', open)
    const end = text.indexOf(isComment ? '-->' : '>', open)
    if (end < 0) break
    if (/^<(?:\w{1,40}:)?svg[\s>]/.test(text.slice(open, open + 50))) return attributesIn(text.slice(open, end))
    at = end + 1
  }
  return new Map()
}

function attributesIn(tag: string): Map<string, string> {
  const found = tag.matchAll(/\s([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)
  return new Map([...found].map(([, name = '', double, single]) => [name, double ?? single ?? '']))
}
