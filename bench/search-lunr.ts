import { createRequire } from 'node:module'
import type lunrType from 'lunr'
import type { Prose } from './prose.ts'
import type { Asked, Engine } from './search-engine.ts'

interface Word {
  readonly stem: string
}

interface Analysis {
  read(text: string, take: (word: Word) => void): void
}

/**
 * A whole Lunr, whose tokens are those of Quire's analysis; terms are asked for as they are, so that it is its scores alone that
 * differ.
 */
export async function lunrEngine(): Promise<Engine> {
  const lunr = createRequire(import.meta.url)('lunr') as typeof lunrType
  const { Analyser } = await import('#fulltext/analysis/analyser.ts')
  const { plainText } = await import('#fulltext/text/plain-text.ts')
  const { quireEngine } = await import('./search-quire.ts')
  const analyser = new Analyser('en') as Analysis
  // Beginnings and mistakes are made into terms by Quire, for both.
  const expander = await quireEngine()
  let index: lunrType.Index | undefined
  const tokens = (text: string): lunrType.Token[] => {
    const found: lunrType.Token[] = []
    analyser.read(text, ({ stem }) => {
      if (stem !== '') found.push(new lunr.Token(stem, {}))
    })
    return found
  }
  const make = (posts: readonly Prose[]) => {
    const builder = new lunr.Builder()
    builder.tokenizer = ((text: string | string[] | null) =>
      [text ?? ''].flat().flatMap(tokens)) as unknown as typeof lunr.tokenizer
    builder.ref('id')
    builder.field('title', { boost: 10 })
    builder.field('tags', { boost: 5 })
    builder.field('body', { boost: 1 })
    for (const { id, title, tags, body } of posts) builder.add({ id, title, tags: [...tags], body: plainText(body) })
    index = builder.build()
  }
  let known: readonly Prose[] = []
  let isExpanding = false
  /** Kept, so that only Lunr's own time is taken from the second time on. */
  const terms = new Map<string, readonly string[]>()
  return {
    async build(posts) {
      known = posts
      make(posts)
    },
    async find(asked: Asked) {
      if (!isExpanding) {
        isExpanding = true
        await expander.build(known)
      }
      const stems = terms.get(asked.text) ?? (await expander.stems(asked))
      terms.set(asked.text, stems)
      const found = index?.query((query) => {
        for (const stem of stems) query.term(stem, { usePipeline: false })
      })
      // Of a beginning or a mistake one term is enough.
      const hasAll = (has: object) => asked.kind !== 'words' || stems.every((stem) => Object.hasOwn(has, stem))
      return (found ?? []).map(({ ref, score, matchData }) => ({ id: ref, score, isWhole: hasAll(matchData.metadata) }))
    },
    async change(posts, gone, all) {
      make(all)
      terms.clear()
      await expander.change(posts, gone, all)
    },
    close: () => expander.close(),
  }
}
