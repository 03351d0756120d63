import { mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '#lib/clock.ts'
import { Slices } from '#lib/concurrency/slices.ts'

interface Kept {
  readonly size: number
  usedAt: number
}

/** Milliseconds that a picture which was asked for stays at least: someone may be about to open it. */
const JUST_USED_MS = 60_000
/** Milliseconds after which a file notes again that it is used, and after which one that was never finished is removed. */
const NOTED_MS = 86_400_000
const UNFINISHED_MS = 3_600_000

/** Heights that the pictures of one group are kept in. */
const MOST_HEIGHTS = 4
/** The name of a picture with a height: its group, and the height. */
const OF_HEIGHT = /^([0-9a-f]+)x(\d+)-/

/** Returns the name for a picture of a group, in hex, that are one picture in one width and any heights. */
export function nameWithHeight(group: string, height: number, name: string): string {
  return `${group}x${height}-${name}`
}

/**
 * Made pictures as files in a folder, at most so many bytes of them, and few heights of a group: those that were not asked for
 * longest go. Other processes may use the folder as well; what they removed is not there.
 */
export class KeptPictures {
  readonly #folder: string
  readonly #bytes: number
  readonly #clock: Clock
  /** Names by group, of those with a height. */
  readonly #groups = new Map<string, Set<string>>()
  #files: Promise<Map<string, Kept>> | undefined
  #total = 0

  constructor(folder: string, bytes: number, clock: Clock) {
    this.#folder = folder
    this.#bytes = bytes
    this.#clock = clock
  }

  /** The path and the size of a picture that is there. */
  async find(name: string): Promise<{ path: string; size: number } | undefined> {
    const files = await this.#known()
    const path = join(this.#folder, name)
    const found = await stat(path).catch(() => undefined)
    this.#forget(files, name)
    if (!found?.isFile() || found.size === 0) return undefined
    const now = this.#clock.now()
    this.#note(files, name, found.size)
    if (now - found.mtimeMs > NOTED_MS) await utimes(path, now / 1000, now / 1000).catch(() => undefined)
    return { path, size: found.size }
  }

  /** A path for a file that is made before it is kept, or thrown away. */
  async unfinished(name: string): Promise<string> {
    // A cache may be removed at any time.
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    return join(this.#folder, `.${name}.tmp`)
  }

  /** Gives a file that is finished its name, on the disk; room is made for it. */
  async keep(unfinished: string, name: string): Promise<{ path: string; size: number }> {
    const files = await this.#known()
    const file = await open(unfinished, 'r+')
    const { size } = await file.stat()
    await file.sync().finally(() => file.close())
    const path = join(this.#folder, name)
    await rename(unfinished, path)
    this.#forget(files, name)
    this.#note(files, name, size)
    await this.#leaveHeights(files, name)
    await this.#makeRoom(files)
    return { path, size }
  }

  /** The files, those that were used last at the end. */
  #known(): Promise<Map<string, Kept>> {
    this.#files ??= this.#read().catch((error: unknown) => {
      this.#files = undefined
      throw error
    })
    return this.#files
  }

  async #read(): Promise<Map<string, Kept>> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const [slices, found] = [new Slices(), [] as [string, Kept][]]
    for (const name of await readdir(this.#folder)) {
      if (slices.isOver) await slices.pause()
      const path = join(this.#folder, name)
      const stats = await stat(path).catch(() => undefined)
      if (!stats?.isFile()) continue
      if (!name.startsWith('.')) found.push([name, { size: stats.size, usedAt: stats.mtimeMs }])
      else if (this.#clock.now() - stats.mtimeMs > UNFINISHED_MS) await rm(path, { force: true })
    }
    this.#total = found.reduce((sum, [, { size }]) => sum + size, 0)
    for (const [name] of found) this.#group(name)
    return new Map(found.sort(([, one], [, other]) => one.usedAt - other.usedAt))
  }

  #note(files: Map<string, Kept>, name: string, size: number): void {
    files.set(name, { size, usedAt: this.#clock.now() })
    this.#total += size
    this.#group(name)
  }

  #group(name: string): void {
    const [, group] = OF_HEIGHT.exec(name) ?? []
    if (group !== undefined) this.#groups.set(group, (this.#groups.get(group) ?? new Set()).add(name))
  }

  #forget(files: Map<string, Kept>, name: string): void {
    this.#total -= files.get(name)?.size ?? 0
    files.delete(name)
    const [, group = ''] = OF_HEIGHT.exec(name) ?? []
    const names = this.#groups.get(group)
    names?.delete(name)
    if (names?.size === 0) this.#groups.delete(group)
  }

  /** Removes the pictures of a name's group in heights that were not asked for longest: whoever asks chooses the height. */
  async #leaveHeights(files: Map<string, Kept>, name: string): Promise<void> {
    const [, group = ''] = OF_HEIGHT.exec(name) ?? []
    const used = [...(this.#groups.get(group) ?? [])].map((one) => ({ one, usedAt: files.get(one)?.usedAt ?? 0 }))
    const [heights, before] = [new Set<string>(), this.#clock.now() - JUST_USED_MS]
    for (const { one, usedAt } of used.sort((a, b) => b.usedAt - a.usedAt)) {
      const [, , height = ''] = OF_HEIGHT.exec(one) ?? []
      heights.add(height)
      if (heights.size <= MOST_HEIGHTS || usedAt > before) continue
      this.#forget(files, one)
      await rm(join(this.#folder, one), { force: true })
    }
  }

  async #makeRoom(files: Map<string, Kept>): Promise<void> {
    const before = this.#clock.now() - JUST_USED_MS
    for (const [name, { usedAt }] of files) {
      if (this.#total <= this.#bytes || usedAt > before) return
      this.#forget(files, name)
      await rm(join(this.#folder, name), { force: true })
    }
  }
}
