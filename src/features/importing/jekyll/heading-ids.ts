const HEADING = /^ {0,3}#{1,6}[ \t]/
const ID = /^ {0,3}\{:[ \t]{0,20}#([A-Za-z][\w:.-]{0,200})[ \t]{0,20}\}[ \t]{0,20}\r?$/
const FENCE = /^ {0,3}(`{3,}|~{3,})/

/** A text in which headings have the ids that kramdown reads in the line below: `# Title {#id}` for `{: #id}`. Code stays. */
export function withHeadingIds(text: string): string {
  if (!text.includes('{:')) return text
  const made: string[] = []
  let fence = ''
  for (const line of text.split('\n')) {
    const mark = FENCE.exec(line)?.[1]
    if (mark !== undefined) fence = fence === '' ? mark : mark.startsWith(fence) ? '' : fence
    const id = fence === '' ? ID.exec(line)?.[1] : undefined
    const before = made.at(-1)
    if (id !== undefined && before !== undefined && HEADING.test(before))
      made[made.length - 1] = `${before.trimEnd()} {#${id}}${before.endsWith('\r') ? '\r' : ''}`
    else made.push(line)
  }
  return made.join('\n')
}
