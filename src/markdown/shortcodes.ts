import { randomBytes } from 'node:crypto'

/** A use of a shortcode: `{{< figure src="cat.jpg" >}}`. Arguments are data; those without a name have their number. */
export interface ShortcodeCall {
  readonly name: string
  readonly args: Readonly<Record<string, string>>
  /** True if it is around a text. */
  readonly hasInner: boolean
}

/** The HTML of a shortcode, before and after the text that it is around; without `after` it does not show that. */
export interface ShortcodeHtml {
  readonly before: string
  readonly after?: string
}

/** The shortcodes that a text may use. */
export interface Shortcodes {
  has(name: string): boolean
  /** Returns the HTML of a use; undefined where it is not known yet. */
  html(call: ShortcodeCall): ShortcodeHtml | undefined
}

/** Nobody can write it: it is chosen when the program starts, and on no page. */
const NONCE = `x${randomBytes(16).toString('hex')}`
const MARK = new RegExp(`${NONCE}([oc])(\\d+);`, 'g')

/** The uses of shortcodes in one text that is rendered: marks stand for them until it is cleaned. */
export class ShortcodeMarks {
  readonly #calls: ShortcodeCall[] = []

  /** The mark where a use begins. */
  begin(call: ShortcodeCall): string {
    return `${NONCE}o${this.#calls.push(call) - 1};`
  }

  /** The mark where a use ends, by that where it begins. */
  end(begin: string): string {
    return begin.replace(`${NONCE}o`, `${NONCE}c`)
  }

  /**
   * The HTML with that of shortcodes in place of their marks. One that came to be within a tag makes nothing: what it makes would
   * end the tag.
   */
  filled(html: string, shortcodes: Shortcodes): string {
    if (this.#calls.length === 0) return html
    const marks = [...html.matchAll(MARK)].map(({ 0: mark, 1: side, 2: number, index }) => ({
      mark,
      side,
      number: Number(number),
      index,
    }))
    const ended = new Set(marks.filter(({ side }) => side === 'c').map(({ number }) => number))
    const after = new Map<number, string>()
    let [made, from, within, isTag] = ['', 0, -1, false]
    for (const { mark, side, number, index } of marks) {
      const text = html.slice(from, index)
      isTag = isInTag(text, isTag)
      from = index + mark.length
      if (within < 0) made += text
      if (side === 'c') {
        if (within < 0 && !isTag) made += after.get(number) ?? ''
        if (within === number) within = -1
        continue
      }
      const call = this.#calls[number]
      if (within >= 0 || isTag || !call) continue
      const { before, after: end } = shortcodes.html(call) ?? { before: '', after: '' }
      made += before
      if (!call.hasInner || !ended.has(number)) made += end ?? ''
      // What a shortcode does not show is left out.
      else if (end === undefined) within = number
      else after.set(number, end)
    }
    return within < 0 ? made + html.slice(from) : made
  }
}

/** Returns whether a piece of HTML ends within a tag; `before` is so of what stands before it. Signs in attributes are escaped. */
export function isInTag(html: string, before: boolean): boolean {
  const [open, close] = [html.lastIndexOf('<'), html.lastIndexOf('>')]
  return open === close ? before : open > close
}
