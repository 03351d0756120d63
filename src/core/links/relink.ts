import { setImmediate } from 'node:timers/promises'
import { unifyLines } from '#frontmatter/read.ts'
import { type Splice, spliced } from '#lib/text/spliced.ts'
import type { Destination } from './destination.ts'
import type { ScanThread } from './scan-thread.ts'

/** Number of destinations rewritten before other work gets its turn. A text may have some hundred thousand of them. */
const AT_ONCE = 500

/** Returns the new text of a destination. Undefined leaves it unchanged. */
export type Rewrite = (destination: Destination) => string | undefined

/**
 * A text with other destinations; null where that can't be done for certain: what a link is must not depend on what it leads to.
 */
export type Relinked = string | null

/**
 * Markdown with some destinations rewritten and every other byte as it was, its line ends too; undefined where there is nothing
 * to rewrite.
 */
export async function relink(
  text: string,
  scanner: Pick<ScanThread, 'scan'>,
  rewrite: Rewrite,
  wikilinks = false,
): Promise<Relinked | undefined> {
  const plain = unifyLines(text)
  const before = await scanner.scan(plain, wikilinks)
  if (!before) return null
  const texts = await rewritten(before, rewrite)
  const edits = before.flatMap(({ start, end }, n): Splice[] => {
    const made = texts[n]
    return made === undefined ? [] : [{ start, end, text: made }]
  })
  if (edits.length === 0) return undefined
  const after = await scanner.scan(spliced(plain, edits), wikilinks)
  const isSame = after?.length === before.length && after.every((one, n) => isAs(one, before[n], texts[n]))
  return isSame ? spliced(text, plain === text ? edits : inOwnLines(text, edits)) : null
}

async function rewritten(destinations: readonly Destination[], rewrite: Rewrite): Promise<(string | undefined)[]> {
  const texts: (string | undefined)[] = []
  for (const [n, one] of destinations.entries()) {
    if (n % AT_ONCE === AT_ONCE - 1) await setImmediate()
    texts.push(rewrite(one))
  }
  return texts
}

function isAs(one: Destination, other: Destination | undefined, text = other?.text): boolean {
  return one.form === other?.form && one.text === text
}

/** Edits of a text whose line ends are LF as those of the text itself. None goes over a line end. */
function inOwnLines(text: string, edits: readonly Splice[]): Splice[] {
  const found: Splice[] = []
  let added = 0
  let at = text.indexOf('\r\n')
  for (const { start, end, text: made } of edits) {
    for (; at >= 0 && at < start + added; at = text.indexOf('\r\n', at + 2)) added++
    found.push({ start: start + added, end: end + added, text: made })
  }
  return found
}
