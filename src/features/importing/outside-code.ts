const FENCE = /^[ \t>]*(`{3,}|~{3,})(.*)$/

/** Returns a Markdown text with what is no code in it changed by `change`, which is given piece by piece. Linear in its length. */
export function outsideCode(text: string, change: (piece: string) => string): string {
  let made = ''
  let prose: string[] = []
  let fence: string | undefined
  const settle = () => {
    made += outsideSpans(prose.join(''), change)
    prose = []
  }
  for (const line of text.match(/[^\n]*\n|[^\n]+/g) ?? []) {
    const [, marks, rest = ''] = FENCE.exec(line.trimEnd()) ?? []
    if (fence === undefined && (marks === undefined || (marks.startsWith('`') && rest.includes('`')))) prose.push(line)
    else {
      settle()
      made += line
      if (fence === undefined) fence = marks
      else if (marks?.startsWith(fence) && rest.trim() === '') fence = undefined
    }
  }
  settle()
  return made
}

/** A span of code begins and ends with runs of as many backticks, and goes over no empty line. */
function outsideSpans(text: string, change: (piece: string) => string): string {
  if (!text.includes('`')) return text === '' ? '' : change(text)
  return text
    .split(/(\n[ \t]*\n)/)
    .map((block, n) => (n % 2 === 1 ? block : outsideSpansOf(block, change)))
    .join('')
}

function outsideSpansOf(block: string, change: (piece: string) => string): string {
  const runs = [...block.matchAll(/`+/g)].map(({ 0: { length }, index }) => ({ length, index }))
  const next = new Map<number, number>()
  const ends: (number | undefined)[] = []
  for (let n = runs.length - 1; n >= 0; n--) {
    const length = runs[n]?.length ?? 0
    ends[n] = next.get(length)
    next.set(length, n)
  }
  let [made, from] = ['', 0]
  for (let n = 0; n < runs.length; n++) {
    const end = ends[n]
    const [start, last] = [runs[n], end === undefined ? undefined : runs[end]]
    if (end === undefined || !start || !last) continue
    made += changed(block.slice(from, start.index), change)
    from = last.index + last.length
    made += block.slice(start.index, from)
    n = end
  }
  return made + changed(block.slice(from), change)
}

function changed(piece: string, change: (piece: string) => string): string {
  return piece === '' ? '' : change(piece)
}
