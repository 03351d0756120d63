import { type Prose, ProseMaker } from './prose.ts'
import { lunrEngine } from './search-lunr.ts'
import { minisearchEngine } from './search-minisearch.ts'
import { quireEngine } from './search-quire.ts'

/** A post that was found. */
export interface Scored {
  readonly id: string
  readonly score: number
  /** Set if the document matches all terms of the query, for engines that do not rank by that themselves. */
  readonly isWhole?: boolean
}

/** A query and its kind, so that each engine can run it in its own way. */
export interface Asked {
  readonly text: string
  readonly kind: 'words' | 'beginnings' | 'mistakes'
}

/** Something that finds posts. */
export interface Engine {
  build(posts: readonly Prose[]): Promise<void>
  /** The ten best and whatever scores as the tenth; Lunr gives all. */
  find(asked: Asked): Promise<Scored[]> | Scored[]
  /** Puts posts in the place of those of their ids, and takes others away; makes itself anew where it can't. */
  change(posts: readonly Prose[], gone: readonly string[], all: readonly Prose[]): Promise<void>
  /** Returns further remarks on the engine. */
  remarks?(): Promise<string[]>
  close(): Promise<void>
}

/** The results of one engine. */
export interface Report {
  readonly cpu: number
  readonly memory: number
  readonly times: Record<Asked['kind'], { p50: number; p99: number } | undefined>
  readonly top: Scored[][]
  readonly topAfter: Scored[][]
  /** The ten best hits if documents with all words are ranked first. */
  readonly wholeFirst: Scored[][]
  readonly remarks: string[]
}

const ENGINES = { quire: quireEngine, lunr: lunrEngine, minisearch: minisearchEngine }
const QUERIES = 200

const [name = 'quire', records = '10000', bytes = '4096'] = process.argv.slice(2)
const make = ENGINES[name as keyof typeof ENGINES]
const report = await measure(await make(), Number(records), Number(bytes))
process.stdout.write(JSON.stringify(report))

async function measure(engine: Engine, count: number, size: number): Promise<Report> {
  const maker = new ProseMaker()
  const posts = Array.from({ length: count }, (_, n) => maker.post(`post-${n}`, size))
  const before = used()
  const begun = process.cpuUsage()
  await engine.build(posts)
  const { user, system } = process.cpuUsage(begun)
  const memory = used() - before
  const queries = queriesOf(maker)
  const times = { words: undefined, beginnings: undefined, mistakes: undefined } as Report['times']
  for (const kind of ['words', 'beginnings', 'mistakes'] as const)
    times[kind] = await timed(
      engine,
      queries.filter((one) => one.kind === kind),
    )
  const top = await tops(engine, queries)
  const wholeFirst = await tops({ find: async (asked) => inWholeFirst(await engine.find(asked)) }, queries)
  const changed = changesOf(maker, posts, size)
  await engine.change(changed.posts, changed.gone, changed.all)
  const topAfter = await tops(engine, queries)
  const remarks = (await engine.remarks?.()) ?? []
  await engine.close()
  return { cpu: (user + system) / 1e6, memory, times, top, topAfter, wholeFirst, remarks }
}

function queriesOf(maker: ProseMaker): Asked[] {
  const queries: Asked[] = []
  for (let n = 0; n < QUERIES; n++) {
    const words = Array.from({ length: 1 + (n % 3) }, () => maker.word())
    queries.push({ text: `${words.join(' ')} `, kind: 'words' })
    queries.push({ text: maker.word().slice(0, 2 + (n % 4)), kind: 'beginnings' })
    const word = `${maker.word()}x`
    const at = 1 + (n % (word.length - 2))
    queries.push({ text: `${word.slice(0, at)}q${word.slice(at + 1, -1)} `, kind: 'mistakes' })
  }
  return queries
}

async function timed(engine: Engine, queries: readonly Asked[]): Promise<{ p50: number; p99: number } | undefined> {
  const times: number[] = []
  for (let round = 0; round < 3; round++) {
    for (const asked of queries) {
      const start = performance.now()
      await engine.find(asked)
      if (round > 0) times.push(performance.now() - start)
    }
  }
  times.sort((a, b) => a - b)
  return { p50: times[Math.floor(times.length * 0.5)] ?? 0, p99: times[Math.floor(times.length * 0.99)] ?? 0 }
}

/** In the order in which what has all words comes first; each that has is as much better as the best of the others. */
function inWholeFirst(found: readonly Scored[]): Scored[] {
  const best = Math.max(0, ...found.filter(({ isWhole }) => !isWhole).map(({ score }) => score))
  return found.map(({ id, score, isWhole }) => ({ id, score: score + (isWhole ? best : 0) })).sort((a, b) => b.score - a.score)
}

async function tops(engine: Pick<Engine, 'find'>, queries: readonly Asked[]): Promise<Scored[][]> {
  const all: Scored[][] = []
  for (const asked of queries) {
    const found = await engine.find(asked)
    const tenth = found[9]?.score ?? 0
    all.push(found.filter(({ score }, n) => n < 10 || score >= tenth - 1e-6).slice(0, 200))
  }
  return all
}

/** A thousand random changes: three in four posts rewritten, the others deleted. */
function changesOf(maker: ProseMaker, posts: readonly Prose[], size: number) {
  const all = new Map(posts.map((post) => [post.id, post]))
  const changed = new Map<string, Prose>()
  const gone = new Set<string>()
  for (let n = 0; n < 1000; n++) {
    const id = `post-${(n * 7919) % posts.length}`
    if (n % 4 === 3) {
      all.delete(id)
      changed.delete(id)
      gone.add(id)
    } else {
      const post = maker.post(id, size)
      all.set(id, post)
      changed.set(id, post)
      gone.delete(id)
    }
  }
  return { posts: [...changed.values()], gone: [...gone], all: [...all.values()] }
}

function used(): number {
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / 1e6
}
