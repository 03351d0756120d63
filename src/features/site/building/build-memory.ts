import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { short } from '#lib/text/short-hash.ts'
import type { SiteSnapshot } from '../outline/site-snapshot.ts'
import type { RenderContext } from '../pages/pages.ts'
import type { Held } from './held.ts'
import type { OutFolder } from './out-folder.ts'
import { stampAt } from './out-stamps.ts'
import type { SiteState } from './site-state.ts'

/** A page that an earlier build made. */
export interface Made {
  /** Its inputs, in short. */
  readonly print: string
  /** Of the file it was written to; see `OutFolder`. */
  readonly stamp: string
  /** Questions that its records asked the site, with the answers. */
  readonly asked: readonly (readonly [question: string, answer: string | null])[]
  /** The paths of the media that it leads to. */
  readonly media: readonly string[]
}

type Line = [file: string, print: string, stamp: string, asked: Made['asked'], media?: Made['media']]

/** Number of pages in each line of the file. */
const PAGES_A_LINE = 500

/** A file that a build remembers something in: its first line is the header, else it is of other pages. */
export interface KeptBeside {
  readonly path: string
  readonly header: string
  /** False where nothing is to be kept for the next build. */
  readonly isWritten: boolean
}

/** The destination that a site is written to. */
export interface Destination {
  readonly folder: OutFolder
  readonly memory: BuildMemory
}

/**
 * The pages that the last build into a folder made, and their inputs. A page with the same inputs and the same file as then is
 * not made again. It only saves time: a missing or broken file counts as no known pages, and a failure to write it is no error.
 */
export class BuildMemory {
  #path: string | undefined
  /** As `#path` was when it was opened. */
  readonly #opened: string | undefined
  readonly #header: string
  readonly #held: Held<Memory> | undefined
  /** Of the file, before it was read. */
  readonly #stamp: string | undefined
  readonly #before: ReadonlyMap<string, Made>
  /** True if this process has kept it: by then it had seen the file of each page. */
  readonly isHeld: boolean
  /** The hash of the list that the last build left in the folder; undefined where nothing is known of it. */
  readonly list: string | undefined
  /** The state of the site that it was made of, where that is known. */
  readonly state: SiteState | undefined
  readonly #now = new Map<string, Made>()
  #state: SiteState | undefined
  #isNew = false

  private constructor(path: string | undefined, header: string, held?: Held<Memory>) {
    this.#path = path
    this.#opened = path
    this.#header = header
    this.#held = held
    const known = path === undefined ? undefined : held?.at(path)
    this.#stamp = held && stampAt(path)
    this.isHeld = known?.header === header
    const { list, state, pages } = (this.isHeld ? known : path === undefined ? undefined : read(path, header)) ?? NOTHING
    this.list = list
    this.state = state
    this.#before = pages
  }

  /**
   * Opens the memory in `folder` of builds into `out`, by its path from the site's root: the same on every machine. `basis` is what all pages depend on: with another one nothing is known.
   */
  static open(folder: string, out: string, basis: string, held?: Held<Memory>): BuildMemory {
    return new BuildMemory(join(folder, `build-${short(out)}.ndjson`), short(basis), held)
  }

  /** One that knows nothing and keeps nothing. */
  static none(): BuildMemory {
    return new BuildMemory(undefined, '')
  }

  /** Says of which state of the site this build is. */
  begin(state: SiteState): void {
    this.#state = state
    this.#isNew ||= !isSame(state, this.state)
  }

  /** The page that was written to a file, whatever it was made of. */
  of(file: string): Made | undefined {
    return this.#before.get(file)
  }

  /** The page that was written to a file, if it was made of these inputs. */
  madeOf(file: string, inputs: string): Made | undefined {
    const made = this.#before.get(file)
    return made?.print === short(inputs) ? made : undefined
  }

  /** The page that was written to a file together with another, and so of the same. */
  madeAs(file: string, page: Made): Made | undefined {
    const made = this.#before.get(file)
    return made?.print === page.print ? made : undefined
  }

  /** Remembers a page that stays as it is, with the stamp that its file has by now. */
  keep(file: string, made: Made, stamp: string): void {
    if (stamp !== made.stamp) this.#isNew = true
    this.#now.set(file, stamp === made.stamp ? made : { ...made, stamp })
  }

  /** Remembers a page that was made now, or a file that was copied. */
  add(
    file: string,
    inputs: string,
    stamp: string,
    { asked = [], media = [] }: Partial<Pick<Made, 'asked' | 'media'>> = {},
  ): void {
    this.#isNew = true
    this.#now.set(file, { print: short(inputs), stamp, asked, media })
  }

  /** The file of something else that is remembered of builds into the same folder, under a name; undefined where nothing is. */
  beside(name: string): KeptBeside | undefined {
    const at = this.#opened
    if (at === undefined) return undefined
    return { path: join(dirname(at), `${name}-${basename(at)}`), header: this.#header, isWritten: this.#path !== undefined }
  }

  /** Has nothing kept for the next build. */
  forget(): void {
    this.#path = undefined
  }

  /** Keeps what is remembered for the next build, with the hash of the list in the folder. */
  save(list: string): void {
    if (this.#path === undefined) return
    const memory = { header: this.#header, list, state: this.#state, pages: this.#now }
    if (!this.#isNew && this.#now.size === this.#before.size && list === this.list) {
      this.#held?.keep(this.#path, this.#stamp, memory)
      return
    }
    const beside = `${this.#path}.${process.pid}.tmp`
    try {
      mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 })
      writeFileSync(beside, written(memory), { mode: 0o600 })
      this.#held?.keep(this.#path, stampAt(beside), memory)
      renameSync(beside, this.#path)
    } catch {
      // A full disk, or a folder that can't be written to: the next build makes all pages.
      rmSync(beside, { force: true })
    }
  }
}

/** Opens the memory of the last build, if pages depend only on what can be compared. */
export async function memoryOf(
  kept: { readonly folder: string; readonly basis: string } | undefined,
  out: string,
  snapshot: SiteSnapshot,
  context: RenderContext,
  held?: Held<Memory>,
): Promise<BuildMemory> {
  if (!kept || !context.theme.isSteady) return BuildMemory.none()
  const { programStamp } = await import('#lib/program-stamp.ts')
  const { origin, base, urls, menus, settings } = snapshot
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  const site = [context.renderer.site(snapshot), origin, base, urls, [...menus], settings]
  const theme = context.theme.print()
  if (theme === undefined) return BuildMemory.none()
  const basis = [kept.basis, theme, ...site, timeZone, programStamp()]
  return BuildMemory.open(kept.folder, out, JSON.stringify(basis), held)
}

/** The memory of a build; with another header it is one of other pages. */
export interface Memory {
  readonly header: string
  readonly list: string | undefined
  readonly state: SiteState | undefined
  readonly pages: ReadonlyMap<string, Made>
}

const NOTHING: Omit<Memory, 'header'> = { list: undefined, state: undefined, pages: new Map() }
const NONE: readonly [] = []

function read(path: string, header: string): Omit<Memory, 'header'> | undefined {
  try {
    const [first = '', records = '', ...lines] = readFileSync(path, 'utf8').split('\n')
    const [known, list, shape] = first.split('\t')
    if (known !== header) return undefined
    const pages = new Map<string, Made>()
    for (const line of lines) {
      if (line === '') continue
      for (const [file, print, stamp, asked, media = NONE] of JSON.parse(line) as Line[])
        pages.set(file, { print, stamp, asked, media })
    }
    return { list, state: shape === undefined ? undefined : { shape, records: JSON.parse(records) }, pages }
  } catch {
    return undefined
  }
}

function isSame(one: SiteState, other: SiteState | undefined): boolean {
  return one.shape === other?.shape && one.records.every((record, n) => record === other.records[n])
}

function written({ header, list, state, pages }: Memory): string {
  const lines = [[header, list, ...(state ? [state.shape] : [])].join('\t'), JSON.stringify(state?.records ?? [])]
  let line: Line[] = []
  for (const [file, { print, stamp, asked, media }] of pages) {
    const known: Line = media.length > 0 ? [file, print, stamp, asked, media] : [file, print, stamp, asked]
    if (line.push(known) < PAGES_A_LINE) continue
    lines.push(JSON.stringify(line))
    line = []
  }
  return `${[...lines, JSON.stringify(line)].join('\n')}\n`
}
