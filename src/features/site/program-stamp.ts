import { readdirSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The folders of the program that have a part in what a page looks like, and the libraries. */
const FOLDERS = ['./', '../../core/', '../../lib/']
const LIBRARIES = ['liquidjs', 'markdown-it', 'sanitize-html']

/** Changes when the program does that makes pages: another release of Quire, or of a library it makes them with. */
export function programStamp(): string {
  const { node, icu, tz } = process.versions
  const libraries = LIBRARIES.map((name) => stampOf(fileURLToPath(import.meta.resolve(name))))
  const own = FOLDERS.flatMap((name) => stampsIn(fileURLToPath(new URL(name, import.meta.url))))
  return [node, icu, tz, ...libraries, ...own].join('\n')
}

function stampsIn(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return names.sort().map((name) => stampOf(`${folder}${name}`))
}

function stampOf(file: string): string {
  const { size, mtimeMs } = statSync(file)
  return `${file}:${size}:${mtimeMs}`
}
