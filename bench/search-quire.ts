import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Store } from '#core/store.ts'
import type { FilesSearch } from '#stores/files/searching/search.ts'
import { type Prose, ProseMaker } from './prose.ts'
import type { Asked, Engine } from './search-engine.ts'

/** The source that the index reads posts from: a minimal store. */
class Posts {
  readonly #documents = new Map<string, object>()
  readonly #log: { key: { kind: string; id: string }; removed: boolean }[] = []
  readonly #listeners = new Set<() => void>()
  #version = 0

  put({ id, title, tags, body }: Prose): void {
    const key = { kind: 'posts', id }
    const version = (++this.#version).toString(16).padStart(40, '0')
    this.#documents.set(id, { key, version, fields: { title, tags, status: 'published' }, body })
    this.#log.push({ key, removed: false })
  }

  remove(id: string): void {
    this.#documents.delete(id)
    this.#log.push({ key: { kind: 'posts', id }, removed: true })
  }

  tell(): void {
    for (const listener of this.#listeners) listener()
  }

  async kinds() {
    return ['posts']
  }

  async heads() {
    return { items: [...this.#documents.values()], total: this.#documents.size }
  }

  async get({ id }: { id: string }) {
    return this.#documents.get(id)
  }

  async changes(after: string | undefined, limit: number) {
    const start = after === undefined ? this.#log.length : Number(after)
    const changes = this.#log.slice(start, start + limit)
    return { changes, next: String(start + changes.length), reset: after === undefined }
  }

  subscribe(listener: () => void) {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

/** Quire's own index, with the terms it makes of a query for who wants them. */
export async function quireEngine(): Promise<Engine & { stems(asked: Asked): Promise<readonly string[]> }> {
  const { FilesSearch } = await import('#stores/files/searching/search.ts')
  const { Analyser } = await import('#fulltext/analysis/analyser.ts')
  const { queryOf } = await import('#fulltext/query.ts')
  const { contentTypes } = await import('#core/types/types.ts')
  const statuses = { published: { live: true, to: [] } }
  const taxonomies = { tags: { singular: 'tag', hierarchical: false } }
  const types = contentTypes({ types: { posts: { taxonomies: ['tags'] } }, taxonomies, statuses, timezone: 'UTC' })
  const posts = new Posts()
  const clock = { now: () => Date.now() }
  const index = new FilesSearch({ store: posts as unknown as Store, types, clock, locale: 'en' })
  const analyser = new Analyser('en')
  const ask = ({ text }: Asked, limit = 30) =>
    index.find({ clauses: queryOf(text, analyser), readable: new Map([['posts', 'live']]), offset: 0, limit })
  return {
    async build(all) {
      for (const post of all) posts.put(post)
      await index.begin()
      await index.ready()
    },
    async find(asked) {
      return (await ask(asked)).hits.map(({ key, score }) => ({ id: key.id, score }))
    },
    async stems(asked) {
      return [...(await ask(asked, 0)).stems]
    },
    async change(changed, gone) {
      // One at a time, as people save, so that there are many segments.
      const steps = [...changed.map((post) => () => posts.put(post)), ...gone.map((id) => () => posts.remove(id))]
      for (const step of steps) {
        step()
        posts.tell()
        await index.ready()
      }
    },
    remarks: () => written(posts, index, ask),
    close: () => index.close(),
  }
}

/** Measures the time until a written post is found while many are written, and the event loop delay meanwhile. */
async function written(posts: Posts, index: FilesSearch, ask: (asked: Asked) => Promise<{ total: number }>): Promise<string[]> {
  const delays = monitorEventLoopDelay({ resolution: 1 })
  delays.enable()
  const maker = new ProseMaker(40_000, 5)
  const times: number[] = []
  for (let n = 0; n < 300; n++) {
    const post = maker.post(`new-${n}`, 4096)
    posts.put({ ...post, title: `unheardof${n}` })
    const begun = performance.now()
    posts.tell()
    while ((await ask({ text: `unheardof${n} `, kind: 'words' })).total === 0)
      await new Promise((resolve) => setTimeout(resolve, 1))
    times.push(performance.now() - begun)
  }
  for (let n = 0; n < 5000; n++) posts.put(maker.post(`many-${n}`, 4096))
  delays.reset()
  const begun = performance.now()
  posts.tell()
  await index.ready()
  const took = performance.now() - begun
  delays.disable()
  times.sort((a, b) => a - b)
  const p95 = times[Math.floor(times.length * 0.95)] ?? 0
  return [
    `A written post was found after ${times[150]?.toFixed(1)} ms (median), ${p95.toFixed(1)} ms (95th percentile), ${times.at(-1)?.toFixed(1)} ms (longest) of 300.`,
    `5,000 posts at once were found after ${(took / 1000).toFixed(1)} s; the event loop stood still for ${(delays.max / 1e6).toFixed(0)} ms at most.`,
  ]
}
