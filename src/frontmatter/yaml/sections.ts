import { append } from '#lib/append.ts'
/** The lines of a top-level key of a YAML file, with the comments above it: every line of the file is in one section. */
export interface Section {
  readonly key: string
  readonly text: string
}

const KEY = /^(?:"([^"\\]*)"|'([^']*)'|([^\s#"'\-?:&*!|>%@`[{][^#:]*?))\s*:(?:\s|$)/

/**
 * Cuts a file at its top-level keys. Lines are looked at alone: a caller has to read what it gets, for a text of several lines
 * may have one that looks like a key. Lines before the first key are in its section, those after the last in the last one.
 */
export function sectionsOf(text: string): Section[] {
  const sections: { key: string; lines: string[] }[] = []
  const pending: string[] = []
  for (const line of text.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    const [, double, single, plain] = KEY.exec(line) ?? []
    const key = double ?? single ?? plain
    const last = sections.at(-1)
    if (key !== undefined) sections.push({ key, lines: [...pending.splice(0), line] })
    else if (last && !isBetween(line)) append(last.lines, [...pending.splice(0), line])
    else if (line.trimEnd() !== '---' || last) pending.push(line)
  }
  append(sections.at(-1)?.lines ?? [], pending)
  return sections.map(({ key, lines }) => ({ key, text: lines.join('') }))
}

/** True for an empty line, and for a comment in the first column: either may belong to the key that follows. */
function isBetween(line: string): boolean {
  return line.trim() === '' || line.startsWith('#')
}

/**
 * Returns the block that a section holds as a file of its own: its comments, and what is below the key moved to the first column.
 * Undefined where the value begins on the line of the key, or no line is indented.
 */
export function blockOf({ text }: Section): string | undefined {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? []
  const at = lines.findIndex((line) => KEY.test(line))
  const [line = ''] = lines.slice(at)
  const rest = line.slice((KEY.exec(line)?.[0] ?? '').length).trim()
  if (at < 0 || (rest !== '' && !rest.startsWith('#'))) return undefined
  const below = lines.slice(at + 1)
  const indents = below.filter((one) => one.trim() !== '').map((one) => /^ */.exec(one)?.[0].length ?? 0)
  const indent = indents.reduce((least, one) => (one > 0 && one < least ? one : least), Number.POSITIVE_INFINITY)
  if (!Number.isFinite(indent)) return undefined
  const moved = below.map((one) => (one.startsWith(' '.repeat(indent)) ? one.slice(indent) : one))
  const remark = rest === '' ? [] : [`${rest}${line.slice(line.trimEnd().length)}`]
  return [...lines.slice(0, at), ...remark, ...moved].join('')
}
