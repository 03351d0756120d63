import {
  type DefaultTreeAdapterMap,
  type DefaultTreeAdapterTypes,
  defaultTreeAdapter,
  html as names,
  parseFragment,
} from 'parse5'

type Node = DefaultTreeAdapterTypes.ChildNode

/** A tree has at most so many elements for each tag of its text: unclosed marks may be repeated in all that follows them. */
const MOST_OF_EACH = 4
/** HTML that is written anew may be read as another tree: after so many times what is left is taken. */
const ROUNDS = 3
const TAG = /<[a-z]/gi
const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/
/** Matches characters that a page may not hold (HTML, 13.2.3.5). */
const UNHEARD = /[^\P{Cc}\t\n\f\r]|\p{Noncharacter_Code_Point}/gu
/** Matches a unit that may be of one: found many times as quickly. */
const PERHAPS_UNHEARD = /[^\t\n\f\r -~\u00a0-\udffd\ue000-\ufdcf\ufdf0-\ufffd]/
/** The element that a text stands in: cells and rows are none without a table there. */
const PLACE = defaultTreeAdapter.createElement('div', names.NS.HTML, [])

class TooMany extends Error {}

/**
 * Cleaned HTML that says to browsers what it said before, with no error for a parser of the HTML standard: what was not closed is,
 * what closed nothing is gone, what may not stand in a table stands before it. What would grow beyond measure is returned as it is.
 */
export function wellFormed(html: string): string {
  let [before, made] = [html, reread(html)]
  for (let round = 1; round < ROUNDS && made !== before.replaceAll(' />', '>'); round++) [before, made] = [made, reread(made)]
  return made
}

/** HTML without the characters that it may not hold: who typed or copied them in meant nothing by them. */
export function legible(html: string): string {
  return PERHAPS_UNHEARD.test(html) ? html.replace(UNHEARD, '') : html
}

/** The HTML of the tree that a browser makes of some HTML; as it is where that would be too large. */
function reread(html: string): string {
  let left = MOST_OF_EACH * (2 + (html.match(TAG)?.length ?? 0))
  const treeAdapter: typeof defaultTreeAdapter = {
    ...defaultTreeAdapter,
    createElement(...element) {
      if (--left < 0) throw new TooMany()
      return defaultTreeAdapter.createElement(...element)
    },
  }
  try {
    return written(parseFragment<DefaultTreeAdapterMap>(PLACE, html, { treeAdapter }).childNodes)
  } catch (error) {
    if (error instanceof TooMany) return html
    throw error
  }
}

function written(nodes: readonly Node[]): string {
  let html = ''
  for (const node of nodes) {
    if ('value' in node) html += node.value.replace(/[&<>]/g, escaped)
    if (!('attrs' in node)) continue
    html += `<${node.tagName}`
    // A sign of a tag is escaped here, too: what looks for tags later need not know of attributes.
    for (const { name, value } of node.attrs)
      html += value === '' && name !== 'alt' ? ` ${name}` : ` ${name}="${value.replace(/[&<>"]/g, escaped)}"`
    html += '>'
    if (VOID.test(node.tagName)) continue
    const inner = written(node.childNodes)
    // A parser leaves out a line break that code begins with.
    html += `${node.tagName === 'pre' && inner.startsWith('\n') ? '\n' : ''}${inner}</${node.tagName}>`
  }
  return html
}

function escaped(sign: string): string {
  return sign === '&' ? '&amp;' : sign === '<' ? '&lt;' : sign === '>' ? '&gt;' : '&quot;'
}
