const FENCE = /^ {0,3}(`{3,}|~{3,})/
const INLINE_CODE = /`+[^`]*`+/g
/** Matches what begins a comment of Liquid, Hugo, MDX and Obsidian. */
const BEGINS = /\{%-?\s*comment\s*-?%\}|\{\{-?\s?\/\*|\{\/\*|%%[^%]+%%|^%%\s*$/

/** Returns the offset of the first comment in a form of another tool, which is shown as text here; code is passed over. */
export function foreignComment(body: string): number | undefined {
  if (!body.includes('%%') && !body.includes('{')) return undefined
  let [at, fence] = [0, '']
  for (const line of body.split('\n')) {
    const mark = FENCE.exec(line)?.[1]
    if (fence !== '') {
      if (mark?.startsWith(fence)) fence = ''
    } else if (mark !== undefined) fence = mark
    else {
      const found = commentIn(line)
      if (found >= 0) return at + found
    }
    at += line.length + 1
  }
  return undefined
}

function commentIn(line: string): number {
  // Blanked and not removed, so that places stay.
  const text = line.replace(INLINE_CODE, (code) => ' '.repeat(code.length))
  const found = text.search(BEGINS)
  if (found >= 0) return found
  const begin = text.indexOf('{# ')
  return begin >= 0 && text.includes('#}', begin) ? begin : -1
}
