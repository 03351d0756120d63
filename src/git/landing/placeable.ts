import { dirname, join } from 'node:path'
import { Conflict } from '#lib/errors.ts'
import { foldersOf } from '../files/attributes.ts'
import type { Difference } from './differences.ts'

/** Most bytes that file systems take for a name, and Linux for a path. */
const MOST = { name: 255, path: 4_095 }

/**
 * Throws Conflict where differences can't be put on the disk one by one: a file where a folder has been or the other way round, a
 * submodule or link in place of either among them, and a name or a path that is too long for it.
 */
export function refuseUnplaceable(top: string, differences: readonly Difference[]): void {
  const paths = new Set(differences.map(({ path }) => path))
  const turned = differences.flatMap(({ path }) => foldersOf(dirname(path))).find((folder) => paths.has(folder))
  if (turned !== undefined) {
    const message = `Commits bring a file where a folder has been, or a folder where a file has: ${JSON.stringify(turned)}.`
    throw new Conflict(message, { paths: [turned] }, 'Run `git merge` by hand: it can do that.')
  }
  const long = differences.find(({ path, id }) => !/^0+$/.test(id) && isTooLong(top, path))
  if (long === undefined) return
  const shown = JSON.stringify(`${[...long.path].slice(0, 60).join('')}…`)
  throw new Conflict(`Commits bring ${shown}, a name that is too long for a disk.`, { paths: [long.path] }, 'Shorten it there.')
}

function isTooLong(top: string, path: string): boolean {
  const isLongName = (name: string) => Buffer.byteLength(name) > MOST.name
  return Buffer.byteLength(join(top, path)) > MOST.path || path.split('/').some(isLongName)
}
