import { matches } from './myers.ts'

/** A part of a text beside another one: in both, added by the second, or taken out of the first. */
export interface Words {
  readonly kind: 'same' | 'add' | 'del'
  readonly text: string
}

const WORD = /\s+|[\p{L}\p{M}\p{N}_]+|[^\s\p{L}\p{M}\p{N}_]/gu
/** Texts of more characters than this are not compared word by word. */
const LONGEST = 200_000

/** Returns what makes `after` of `before`, word by word; texts that have little in common are taken out and added whole. */
export function wordDiff(before: string, after: string): Words[] {
  if (before === after) return before === '' ? [] : [{ kind: 'same', text: before }]
  const isLong = before.length + after.length > LONGEST
  const [one, other] = isLong ? [[before], [after]] : [before.match(WORD) ?? [], after.match(WORD) ?? []]
  const found = matches(one, other) ?? []
  const words: Words[] = []
  let [from, to] = [0, 0]
  const upTo = (end: number, afterEnd: number) => {
    put(words, 'del', one.slice(from, end).join(''))
    put(words, 'add', other.slice(to, afterEnd).join(''))
  }
  for (const [n, place] of found.entries()) {
    if (place === undefined) continue
    upTo(n, place)
    put(words, 'same', one[n] ?? '')
    ;[from, to] = [n + 1, place + 1]
  }
  upTo(one.length, other.length)
  return legible(words)
}

function put(words: Words[], kind: Words['kind'], text: string): void {
  const last = words.at(-1)
  if (text === '') return
  if (last?.kind === kind) words[words.length - 1] = { kind, text: last.text + text }
  else words.push({ kind, text })
}

/** White space alone between two changes is a part of them: each would else be marked word by word. */
function legible(words: readonly Words[]): Words[] {
  const made: Words[] = []
  let [gone, added] = ['', '']
  const end = () => {
    const space = gone.slice(gone.trimEnd().length)
    const common = added.endsWith(space) ? space.length : 0
    put(made, 'del', gone.slice(0, gone.length - common))
    put(made, 'add', added.slice(0, added.length - common))
    put(made, 'same', space.slice(0, common))
    ;[gone, added] = ['', '']
  }
  for (const [n, { kind, text }] of words.entries()) {
    const isBetween = kind === 'same' && gone + added !== '' && text.trim() === '' && n < words.length - 1
    if (kind === 'del' || isBetween) gone += text
    if (kind === 'add' || isBetween) added += text
    if (kind !== 'same' || isBetween) continue
    end()
    put(made, 'same', text)
  }
  end()
  return made
}
