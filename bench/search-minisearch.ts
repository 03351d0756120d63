import MiniSearch from 'minisearch'
import type { Prose } from './prose.ts'
import type { Asked, Engine } from './search-engine.ts'

/** MiniSearch 7 as its guide has it. */
export async function minisearchEngine(): Promise<Engine> {
  const index = new MiniSearch<{ id: string; title: string; tags: string; body: string }>({
    fields: ['title', 'tags', 'body'],
    // It cleans up behind deletions by and by, and failed in that at the end of a run.
    autoVacuum: false,
    searchOptions: { boost: { title: 10, tags: 5 } },
  })
  const row = ({ id, title, tags, body }: Prose) => ({ id, title, tags: tags.join(' '), body })
  return {
    async build(posts) {
      index.addAll(posts.map(row))
    },
    find({ text, kind }: Asked) {
      const options = kind === 'beginnings' ? { prefix: true } : kind === 'mistakes' ? { fuzzy: 1 } : {}
      return index.search(text, options).map(({ id, score }) => ({ id: String(id), score }))
    },
    async change(posts, gone) {
      for (const id of gone) index.discard(id)
      for (const post of posts) {
        if (index.has(post.id)) index.replace(row(post))
        else index.add(row(post))
      }
    },
    async close() {},
  }
}
