import type { ChildProcess } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { failureOf, GitFailure, gitText, startGit } from '../process.ts'
import type { Repository } from '../repository.ts'
import { commitGraph } from './commit-graph.ts'

/** Milliseconds from the start until the commit graph is checked: the first requests go first. */
const START_MS = 5_000
/** After so many commits of ours the graph is brought up to date. */
const COMMITS = 100
/** The packs are counted after so many. */
const SOME = 16
/** From so many packs on they are put together: before git would do it in the middle of an author's `git commit`, which is at 50. */
const PACKS = 40
/** Nothing is begun so shortly after a write, in milliseconds; but it waits no longer than that for a quiet moment. */
const QUIET_MS = 2_000
const PATIENCE_MS = 60_000

/** Figures for an operator. */
export interface UpkeepState {
  /** See `commitGraph`. */
  readonly commit_graph: string
  readonly packs: number
  /** The reason why the last attempt failed, for a person who knows git. */
  readonly upkeep_fault: string | null
}

/** The settings of the repository's own configuration that concern us. */
interface Wishes {
  readonly graph: boolean
  readonly packs: boolean
  readonly multiPackIndex: boolean
}

/**
 * Keeps a repository quick while it is served: the graph of commits, with which a record's log takes a tenth of a second, and few packs. In the background,
 * one thing at a time, at a low priority, and never while a write is under way. It leaves alone what the repository's configuration says to
 * (`core.commitGraph=false`, `gc.auto=0`), partial clones, where it would fetch, and the packs of one that borrows from another. A failure is only told of.
 */
export class Upkeep {
  readonly #repository: Repository
  #commits = 0
  #packs = 0
  #wrote = 0
  #due: number | undefined
  #timer: NodeJS.Timeout | undefined
  #working: Promise<void> | undefined
  #running: ChildProcess | undefined
  #fault: string | undefined
  #closed = false

  constructor(repository: Repository) {
    this.#repository = repository
  }

  /** Sees to the graph a moment from now. */
  start(): void {
    this.#commits = COMMITS
    this.#timer = setTimeout(() => this.#try(), START_MS).unref()
  }

  /** So many commits were made just now. */
  committed(commits: number): void {
    this.#commits += commits
    this.#wrote = performance.now()
    const countsPacks = this.#commits % SOME < commits
    if (this.#commits >= COMMITS || (countsPacks && this.#hasManyPacks())) this.#plan()
  }

  state(): UpkeepState {
    const { common } = this.#repository
    return { commit_graph: commitGraph(this.#repository), packs: packsOf(common), upkeep_fault: this.#fault ?? null }
  }

  /** Does at once what is to be done, and resolves when it is. */
  work(): Promise<void> {
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined
    })
    return this.#working
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    this.#running?.kill()
    await this.#working
  }

  #plan(): void {
    if (this.#timer !== undefined || this.#closed) return
    this.#due ??= performance.now() + PATIENCE_MS
    this.#timer = setTimeout(() => this.#try(), QUIET_MS).unref()
  }

  #try(): void {
    this.#timer = undefined
    const now = performance.now()
    const isQuiet = this.#wrote === 0 || now - this.#wrote >= QUIET_MS
    if (!isQuiet && now < (this.#due ?? now + PATIENCE_MS)) {
      this.#plan()
      return
    }
    this.#due = undefined
    void this.work()
  }

  async #work(): Promise<void> {
    try {
      const wishes = await this.#wishes()
      if (wishes.graph && this.#commits >= COMMITS) await this.#writeGraph()
      if (wishes.packs && this.#hasManyPacks()) await this.#repack(wishes)
      this.#fault = undefined
    } catch (error) {
      if (!this.#closed) this.#fault = error instanceof GitFailure ? error.stderr.trim().slice(-500) : String(error)
    }
  }

  /**
   * Returns whether there are many packs. Packs kept apart on purpose cannot be combined, so the next attempt waits for as many
   * new ones.
   */
  #hasManyPacks(): boolean {
    return packsOf(this.#repository.common) >= this.#packs + PACKS
  }

  /** A graph that knows nothing of paths, as other tools leave, is made anew; else only what has come since is added. */
  async #writeGraph(): Promise<void> {
    const split = commitGraph(this.#repository) === 'without' ? '--split=replace' : '--split'
    this.#commits = 0
    await this.#run(['commit-graph', 'write', '--reachable', split, '--changed-paths', '--no-progress'])
  }

  async #repack({ multiPackIndex }: Wishes): Promise<void> {
    await this.#run(['repack', '-q', '-d', '--geometric=2', ...(multiPackIndex ? ['--write-midx'] : [])])
    this.#packs = packsOf(this.#repository.common)
  }

  async #wishes(): Promise<Wishes> {
    const { top, common } = this.#repository
    const wanted = '^(core\\.(commitgraph|multipackindex)|gc\\.auto|extensions\\.partialclone|remote\\..*\\.promisor)$'
    const text = await gitText(top, ['config', '--show-scope', '--get-regexp', wanted]).catch(() => '')
    // Our own commands have settings of their own, which are not the repository's wish.
    const lines = text.split('\n').filter((line) => !line.startsWith('command\t'))
    const settings = new Map(
      lines.map((line) => /^\w+\t(\S*) ?(.*)$/.exec(line) ?? []).map(([, name = '', value = '']) => [name, value]),
    )
    const isOff = (name: string) => /^(?:false|no|off|0)$/i.test(settings.get(name) ?? 'true')
    const isPartial = [...settings.keys()].some((name) => /partialclone$|promisor$/.test(name))
    const borrows = existsSync(join(common, 'objects', 'info', 'alternates'))
    return {
      graph: !isOff('core.commitgraph') && !isPartial,
      packs: !isOff('gc.auto') && !isPartial && !borrows,
      multiPackIndex: !isOff('core.multipackindex'),
    }
  }

  #run(args: readonly string[]): Promise<void> {
    if (this.#closed) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const child = startGit(this.#repository.top, args)
      this.#running = child
      if (child.pid !== undefined) lower(child.pid)
      let stderr = ''
      child.stderr.on('data', (chunk: Buffer) => {
        stderr = `${stderr}${chunk}`.slice(-2_000)
      })
      child.stdout.resume()
      child.on('error', reject)
      child.on('close', (code) => {
        this.#running = undefined
        if (code === 0) resolve()
        else reject(failureOf(args[0] ?? '', code, stderr))
      })
      child.stdin.on('error', () => undefined).end()
    })
  }
}

/** Returns the number of packs that git may have to search. */
function packsOf(common: string): number {
  try {
    return readdirSync(join(common, 'objects', 'pack')).filter((name) => name.endsWith('.pack')).length
  } catch {
    return 0
  }
}

function lower(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW)
  } catch {
    // It has ended already, or the system has no priorities.
  }
}
