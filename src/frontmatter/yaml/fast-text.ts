import { type Sure, UNSURE } from './plain-scalar.ts'

/** Signs of Unicode and old control signs, which are left to the whole parser. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must be left to it
const ODD = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff]/

/** The lines of a text after `|` or `>`, without what they stand in, and where the lines after it begin. */
interface Block {
  readonly lines: readonly string[]
  readonly next: number
}

/** The text after `|`, `>` and `-` or `+` (`header`) below a key or dash at `column`: `from` is where its lines begin. */
export function blockScalar(text: string, header: string, from: number, column: number): Sure<{ value: string; next: number }> {
  const [style, chomp] = /^([|>])([-+]?) *$/.exec(header)?.slice(1) ?? []
  const block = style === undefined ? UNSURE : linesAt(text, from, column)
  if (block === UNSURE) return UNSURE
  const { lines, next } = block
  let last = lines.length
  while (lines[last - 1] === '') last--
  const held = style === '|' ? lines.slice(0, last).join('\n') : folded(lines, last)
  if (held === UNSURE || ODD.test(held)) return UNSURE
  const end = chomp === '-' ? '' : chomp === '+' ? '\n'.repeat(lines.length - last + 1) : '\n'
  return { value: held + end, next }
}

/** The lines that stand further in than `column`. What begins with a blank line, or has spaces alone on a line, is left to the whole parser. */
function linesAt(text: string, from: number, column: number): Sure<Block> {
  const lines: string[] = []
  let indent = -1
  let next = from
  for (let at = from; at < text.length; at = next) {
    const newline = text.indexOf('\n', at)
    const stop = newline < 0 ? text.length : newline
    let first = at
    while (text.charCodeAt(first) === 32) first++
    const end = stop > first && text.charCodeAt(stop - 1) === 13 ? stop - 1 : stop
    const own = first - at
    const isBlank = first >= end
    if (isBlank && (indent < 0 || own > indent)) return UNSURE
    if (!isBlank && indent < 0) indent = own
    if (!isBlank && own < indent) {
      if (own > column) return UNSURE
      break
    }
    if (indent <= column) return UNSURE
    lines.push(isBlank ? '' : text.slice(at + indent, end))
    next = stop + 1
  }
  return lines.length === 0 ? UNSURE : { lines, next }
}

/** Lines joined by spaces, blank lines as line ends; those that stand further in are left to the whole parser. */
function folded(lines: readonly string[], last: number): Sure<string> {
  const parts: string[] = []
  let blank = 0
  for (let n = 0; n < last; n++) {
    const line = lines[n] ?? ''
    const first = line.charCodeAt(0)
    if (first === 32 || first === 9) return UNSURE
    if (line === '') blank++
    else {
      if (n > 0) parts.push(blank > 0 ? '\n'.repeat(blank) : ' ')
      parts.push(line)
      blank = 0
    }
  }
  return parts.join('')
}
