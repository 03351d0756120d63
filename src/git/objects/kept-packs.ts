import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { readableText } from '#lib/files/readable.ts'
import { orAbsent } from '#lib/files/stamp.ts'
import type { Repository } from '../repository.ts'

/** Returns the names of the packs that there are. */
export function packNames({ common }: Repository): ReadonlySet<string> {
  return new Set(namesIn(join(common, 'objects', 'pack')).filter((name) => name.endsWith('.pack')))
}

/** The marks that keep the packs of a fast-import as they are until it ends; those of one that was killed would stay for ever. */
export function keptPacks({ common }: Repository): string[] {
  const folder = join(common, 'objects', 'pack')
  const names = namesIn(folder).filter((name) => name.endsWith('.keep'))
  return names.map((name) => join(folder, name)).filter((path) => readableText(path)?.trim() === 'fast-import')
}

/** Takes away the marks of packs that never came to be: the same commits, made anew, would make a pack of the same name. */
export function removeEmptyMarks(repository: Repository): void {
  for (const path of keptPacks(repository)) if (!existsSync(path.replace(/keep$/, 'pack'))) rmSync(path, { force: true })
}

/** Copies of a repository often come without empty folders: git makes that of packs when it needs it. */
function namesIn(folder: string): string[] {
  return orAbsent(() => readdirSync(folder)) ?? []
}
