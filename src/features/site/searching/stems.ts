import type { Analyser } from '#fulltext/analysis/analyser.ts'
import type { SearchText } from '#fulltext/segments/search-text.ts'
import { plainText } from '#fulltext/text/plain-text.ts'
import { composed } from '#lib/normal-form.ts'

/** The stems of a document without those of stop words, in their order, and how many bytes of UTF-8 its plain text has. */
export interface Stems {
  readonly stems: readonly [title: readonly string[], tags: readonly string[], body: readonly string[]]
  readonly bytes: number
}

/** Reads a document for an index that a browser searches. */
export function stemsOf({ title, tags, body }: SearchText, analyser: Analyser): Stems {
  const texts = body.map(plainText)
  const bytes = texts.reduce((sum, part) => sum + Buffer.byteLength(part), 0)
  return { stems: [stemsIn([title], analyser), stemsIn(tags, analyser), stemsIn(texts, analyser)], bytes }
}

function stemsIn(texts: readonly string[], analyser: Analyser): string[] {
  const stems: string[] = []
  for (const text of texts) {
    analyser.read(composed(text), ({ stem }) => {
      if (stem !== '') stems.push(stem)
    })
  }
  return stems
}
