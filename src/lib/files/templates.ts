import { createHash } from 'node:crypto'
import { type Dirent, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** A file of a folder of templates: its name below the folder with `/`, and where it is. */
export interface TemplateFile {
  readonly name: string
  readonly file: string
  readonly stamp: string
}

/** A file that pages refer to. `url` has a hash of its bytes, so that it can be cached for ever. */
export interface Asset {
  readonly url: string
  readonly contentType: string
  readonly body: Buffer
}

const MOST_FILES = 2000
const MOST_BYTES = 8 * 1024 * 1024
const DEEPEST = 8
const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  ico: 'image/x-icon',
  woff2: 'font/woff2',
  woff: 'font/woff',
  txt: 'text/plain; charset=utf-8',
  json: 'application/json; charset=utf-8',
}

/**
 * The files of some folders of templates, each name from the first folder that has it. Links and names with a dot first are left
 * out; a missing folder is empty.
 */
export function templateFiles(folders: readonly string[]): TemplateFile[] {
  const found = new Map<string, TemplateFile>()
  for (const folder of folders) {
    for (const file of walk(folder, '', 0)) if (!found.has(file.name)) found.set(file.name, file)
  }
  return [...found.values()].slice(0, MOST_FILES)
}

/** The assets among such files (`assets/theme.css`) by the name templates use (`theme.css`). */
export function assetsOf(files: readonly TemplateFile[]): Map<string, Asset> {
  const assets = new Map<string, Asset>()
  for (const { name, file } of files) {
    if (!name.startsWith('assets/')) continue
    const body = readFileSync(file)
    const dot = name.lastIndexOf('.')
    const hash = createHash('sha256').update(body).digest('hex').slice(0, 8)
    const url = dot > 'assets/'.length ? `/${name.slice(0, dot)}.${hash}${name.slice(dot)}` : `/${name}.${hash}`
    const contentType = TYPES[name.slice(dot + 1).toLowerCase()] ?? 'application/octet-stream'
    assets.set(name.slice('assets/'.length), { url: encodeURI(url), contentType, body })
  }
  return assets
}

function walk(folder: string, prefix: string, depth: number): TemplateFile[] {
  if (depth > DEEPEST) return []
  return entriesOf(join(folder, prefix)).flatMap((entry) => {
    const name = prefix + entry.name
    if (entry.name.startsWith('.')) return []
    if (entry.isDirectory()) return walk(folder, `${name}/`, depth + 1)
    if (!entry.isFile()) return []
    const file = join(folder, name)
    const { size, mtimeMs } = statSync(file)
    return size > MOST_BYTES ? [] : [{ name, file, stamp: `${file}:${size}:${mtimeMs}` }]
  })
}

function entriesOf(folder: string): Dirent[] {
  try {
    if (lstatSync(folder).isSymbolicLink()) return []
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
