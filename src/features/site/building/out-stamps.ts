import { lstatSync, type Stats } from 'node:fs'

/** Returns a stamp that identifies the state of a file, wherever it is moved or linked; undefined if there is no plain file. */
export function stampAt(path: string | undefined): string | undefined {
  const found = path === undefined ? undefined : lstatSync(path, { throwIfNoEntry: false })
  return found?.isFile() ? stampOf(found) : undefined
}

/** A stamp with the print of the bytes behind it: 27 characters at its end. */
export function stampWith(stamp: string | undefined, print: string): string | undefined {
  return stamp && `${stamp}:${print}`
}

/** The stamp of a plain file in a state. */
export function stampOf({ size, mtimeMs, ino }: Stats): string {
  return `${size}:${mtimeMs}:${ino}`
}
