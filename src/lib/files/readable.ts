import { type Dirent, readdirSync, readFileSync } from 'node:fs'

/** Returns the bytes of a file; undefined where it can't be read, for whatever reason. */
export function readableBytes(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}

/** Returns the text of a file; undefined where it can't be read, for whatever reason. */
export function readableText(path: string): string | undefined {
  return readableBytes(path)?.toString('utf8')
}

/** Returns the entries of a folder; none where it can't be read, for whatever reason. */
export function readableEntries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
