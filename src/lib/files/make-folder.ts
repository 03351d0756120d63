import { lstatSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a folder, and those above it that are missing. Throws what the system says where one can't be made: Node's own never ends
 * where that is "not there", as below /proc.
 */
export function makeFolder(path: string): void {
  const missing: string[] = []
  for (let at = path; !lstatSync(at, { throwIfNoEntry: false }); at = dirname(at)) missing.push(at)
  for (const folder of missing.reverse()) makeOne(folder)
  // What is there may be a file.
  if (missing.length === 0 && !statSync(path).isDirectory()) mkdirSync(path)
}

/** Another process may make it at the same time. */
function makeOne(folder: string): void {
  try {
    mkdirSync(folder)
  } catch (error) {
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error
  }
}
