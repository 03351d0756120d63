import { join } from 'node:path'
import { leadsOut } from '#lib/files/leads-out.ts'
import { listedBy } from '#lib/files/lists.ts'
import type { Fields } from '#lib/json.ts'
import { isFolder, lowerKeys, objectOf, objectsOf, textOf, textsOf } from '../folder.ts'

/** A folder that a configuration mounts. */
export interface Mount {
  /** From the site's folder. */
  readonly source: string
  readonly target: string
  readonly language: string | undefined
  isLeftOut(path: string, isFolder: boolean): boolean
}

/** A folder whose files have addresses from the site's root, and what of it Hugo leaves out. */
export interface FilesFolder {
  /** Absolute. */
  readonly root: string
  /** The path that its files get before their own, with `/` at its end; '' for none. */
  readonly prefix: string
  /** True where it holds what Hugo makes styles and scripts of. */
  readonly isAssets: boolean
  isLeftOut(path: string, isFolder: boolean): boolean
}

/** Returns the mounts of a configuration that lie in the site's folder. */
export function mountsOf(data: Readonly<Fields>): Mount[] {
  return objectsOf(lowerKeys(objectOf(data.module)).mounts).flatMap((mount) => {
    const { source, target, lang, excludefiles, includefiles, files } = lowerKeys(mount)
    if (typeof source !== 'string' || typeof target !== 'string' || !isWithin(source)) return []
    const said = textsOf(files)
    const isExcluded = listedBy([...textsOf(excludefiles), ...said.filter(isNot).map((one) => one.replace(/^!\s*/, ''))], 'paths')
    const isIncluded = listedBy([...textsOf(includefiles), ...said.filter((one) => !isNot(one))], 'paths')
    const isLeftOut = (path: string, isFolder: boolean) =>
      isExcluded?.(path) === true || (!isFolder && isIncluded?.(path) === false)
    return { source, target: target.replace(/\/+$/, ''), language: textOf(lang), isLeftOut }
  })
}

/** Returns the folders of files and of assets that are there: those which are mounted as such, else those with the names that Hugo reads. */
export async function filesFolders(root: string, data: Readonly<Fields>): Promise<FilesFolder[]> {
  const mounts = mountsOf(data)
  const names = textsOf(data.staticdir)
  const all = [
    ...foldersOf('static', mounts, names.length > 0 ? names : ['static']),
    ...foldersOf('assets', mounts, [textOf(data.assetdir) ?? 'assets']),
  ].filter(({ source }) => isWithin(source) && !leadsOut(root, source))
  const there = await Promise.all(all.map(({ source }) => isFolder(join(root, source))))
  return all.filter((_, n) => there[n]).map(({ source, ...folder }) => ({ ...folder, root: join(root, source) }))
}

function foldersOf(component: string, mounts: readonly Mount[], names: readonly string[]) {
  const isAssets = component === 'assets'
  const mounted = mounts.filter(({ target }) => target === component || target.startsWith(`${component}/`))
  if (mounted.length === 0) return names.map((source) => ({ source, prefix: '', isAssets, isLeftOut: () => false }))
  return mounted
    .filter(({ source }) => !source.split('/').includes('node_modules'))
    .map(({ source, target, isLeftOut }) => {
      const below = target.slice(component.length + 1)
      return { source, prefix: below === '' ? '' : `${below}/`, isAssets, isLeftOut }
    })
}

/** Returns whether a path leads no higher than where it starts. */
export function isWithin(path: string): boolean {
  return !path.startsWith('/') && !path.split('/').includes('..')
}

function isNot(pattern: string): boolean {
  return pattern.startsWith('!')
}
