/** Most marks in a row that are put in order. Stream-safe text has 30 (Unicode Standard Annex #15 §13), no language so many. */
export const MOST_MARKS = 30
/** The first code point of a mark. */
export const FIRST_MARK = 0x300
const LAST_UNIT = 0xffff
const MARK = /^\p{M}/u
/** For each character of one UTF-16 unit 1 for a mark and 2 for another; 0 until it is asked for. */
const marks = new Uint8Array(LAST_UNIT + 1)

/**
 * Returns a text in a Unicode normal form, in linear time: `String.normalize` takes the square of a run of marks. A run of more
 * than 30 is left as it is.
 */
export function normalForm(text: string, form: 'NFC' | 'NFD' | 'NFKC' | 'NFKD'): string {
  const runs = text.length > MOST_MARKS ? longRuns(text) : []
  if (runs.length === 0) return text.normalize(form)
  let [normal, at] = ['', 0]
  for (const [start, end] of runs) {
    normal += text.slice(at, start).normalize(form) + text.slice(start, end)
    at = end
  }
  return normal + text.slice(at).normalize(form)
}

/** A text in normal form C, as ids and all that is compared with them are. */
export function composed(text: string): string {
  return normalForm(text, 'NFC')
}

/** Returns whether a text has more marks in a row than are put in order: it may then equal another without being the same. */
export function hasLongRun(text: string): boolean {
  return text.length > MOST_MARKS && longRuns(text).length > 0
}

/** Returns whether a character is a combining mark. */
export function isMark(code: number): boolean {
  if (code < FIRST_MARK) return false
  if (code > LAST_UNIT) return MARK.test(String.fromCodePoint(code))
  const known = marks[code]
  if (known) return known === 1
  const found = MARK.test(String.fromCodePoint(code))
  marks[code] = found ? 1 : 2
  return found
}

/** Returns the begin and end of each run of too many marks. A regular expression with a least count looks at each mark that often. */
function longRuns(text: string): [number, number][] {
  const runs: [number, number][] = []
  let [start, count] = [0, 0]
  const end = (at: number) => {
    if (count > MOST_MARKS) runs.push([start, at])
    count = 0
  }
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit < FIRST_MARK) {
      if (count > 0) end(at)
      continue
    }
    const code = text.codePointAt(at) ?? unit
    if (!isMark(code)) end(at)
    else if (count++ === 0) start = at
    if (code > LAST_UNIT) at++
  }
  end(text.length)
  return runs
}
