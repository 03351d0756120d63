import { realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative } from 'node:path'
import { PathAliases } from '#git/files/path-aliases.ts'
import { orAbsent } from '#lib/files/stamp.ts'

/** A private folder's paths below one working tree: as it is configured, and where links on the way really lead. */
export class PrivatePaths {
  readonly #folders: readonly PathAliases[]

  /** Both are absolute. */
  constructor(top: string, privateDir: string) {
    this.#folders = placesOf(privateDir).flatMap((place) => {
      const path = relative(top, place).replaceAll('\\', '/')
      return path === '..' || path.startsWith('../') || isAbsolute(path) ? [] : [new PathAliases(path)]
    })
  }

  /** Returns whether a path from the top is of the private folder, or would stand in its place. */
  readonly have = (path: string): boolean => this.below(path) !== undefined

  /** As `PathAliases.mayHave`. */
  readonly mayHave = (bytes: Buffer, from: number, end: number): boolean =>
    this.#folders.some((folder) => folder.mayHave(bytes, from, end))

  /** As `PathAliases.below`. */
  below(path: string): string | undefined {
    for (const folder of this.#folders) {
      const below = folder.below(path)
      if (below !== undefined) return below
    }
    return undefined
  }
}

/** Every absolute path that a folder has: as it is named, with the links above it resolved, and with a link in its own place. */
export function placesOf(folder: string): string[] {
  const above = realOf(dirname(folder))
  return [...new Set([folder, ...(above === undefined ? [] : [join(above, basename(folder))]), realOf(folder) ?? folder])]
}

function realOf(path: string): string | undefined {
  return orAbsent(() => realpathSync(path))
}
