import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isBundle, programFolder } from './package.ts'

/**
 * Changes with the program: another release of Quire, of a library in it, or of Node. What a program has derived and kept is
 * worth nothing to another.
 */
export function programStamp(): string {
  const { node, icu, tz } = process.versions
  const folder = fileURLToPath(programFolder())
  // An entry of the bundle names the chunks it imports, whose names are made of what is in them.
  const names = isBundle ? ['cli/run.js'] : readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
  const hash = createHash('sha256')
  for (const name of names.filter((name) => /\.[jt]s$/.test(name))) hash.update(readFileSync(join(folder, name)))
  return JSON.stringify([node, icu, tz, hash.digest('hex')])
}
