import type { Destination } from './destination.ts'

type Part = Pick<Destination, 'start' | 'end' | 'form' | 'isPicture'>

/** Finds the content of blocks, which Markdown frees of the marks before it (`> - `), again in the lines of its text. */
export class LineMap {
  readonly #text: string
  readonly #starts: number[] = [0]
  /** The offset to search for the next content of each line: the cells of a row come one after another. */
  readonly #next = new Map<number, number>()

  constructor(text: string) {
    this.#text = text
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.#starts.push(at + 1)
  }

  /** Adds the parts of a block's content to `found`, as places in the text; `lines` are those that the block is in. */
  place(content: string, lines: readonly [number, number] | null, parts: readonly Part[], found: Destination[]): void {
    if (!lines) return
    let begin = 0
    let part = 0
    for (let line = lines[0]; line < lines[1] && begin <= content.length; line++) {
      const next = content.indexOf('\n', begin)
      const end = next < 0 ? content.length : next
      const offset = this.#offset(content.slice(begin, end), line)
      for (; part < parts.length && (parts[part]?.start ?? 0) <= end; part++) {
        const one = parts[part]
        if (!one || offset === undefined || one.end > end) continue
        const start = offset + one.start - begin
        const text = content.slice(one.start, one.end)
        if (this.#text.startsWith(text, start)) found.push({ ...one, start, end: start + text.length, text })
      }
      begin = end + 1
    }
  }

  /** Returns the offset of a line of content, as if the white space before it were there as it is in the content. */
  #offset(content: string, line: number): number | undefined {
    const start = this.#starts[line]
    if (start === undefined) return undefined
    const from = this.#next.get(line) ?? start
    const end = (this.#starts[line + 1] ?? this.#text.length + 1) - 1
    const bare = content.trimStart()
    const at = this.#text.slice(from, end).indexOf(bare)
    // A line that does not hold its content as it is (a cell with an escaped bar) is left alone from there on.
    this.#next.set(line, at < 0 ? end : from + at + bare.length)
    return at < 0 ? undefined : from + at - (content.length - bare.length)
  }
}
