import { createHash } from 'node:crypto'
import { entryBytes, headerBytes, type IndexBytes } from './bytes.ts'
import { invalidated } from './tree.ts'

/** The new index entry of a path from the top of the working tree; without `id`, there is none. */
export interface IndexChange {
  readonly path: string
  readonly mode: string
  readonly id: string | undefined
}

/**
 * The handling of index extensions: kept as they are, edited, or left out, which only costs git some time. If there is any other,
 * git itself edits the index.
 */
const EXTENSIONS: Readonly<Record<string, 'keep' | 'edit' | 'drop'>> = { REUC: 'keep', TREE: 'edit', EOIE: 'drop', IEOT: 'drop' }

/**
 * The bytes of an index with these paths changed and all else as it was; undefined where git itself is to edit it: it has an extension that
 * is not for us, or a file and a folder would have one name.
 */
export function editIndex(index: IndexBytes, changes: readonly IndexChange[]): Buffer | undefined {
  const named = changes.map((change) => ({ ...change, name: Buffer.from(change.path) }))
  named.sort((a, b) => a.name.compare(b.name))
  const extensions = extensionsOf(
    index,
    changes.map(({ path }) => path),
  )
  if (!extensions) return undefined
  const parts: Buffer[] = []
  let count = index.count
  let copied = 0
  const upTo = (number: number) => index.bytes.subarray(index.offsets[copied], index.offsets[number])
  for (const { name, path, mode, id } of named) {
    const found = index.find(name)
    const place = found < 0 ? -1 - found : found
    if (found < 0 && id === undefined) continue
    if (found < 0 && clashes(index, path)) return undefined
    parts.push(upTo(place))
    if (id !== undefined) parts.push(entryBytes(name, mode, id))
    copied = found < 0 ? place : place + 1
    count += (id === undefined ? 0 : 1) - (found < 0 ? 0 : 1)
  }
  parts.push(upTo(index.count), ...extensions)
  parts.unshift(headerBytes(index.bytes, count))
  const hash = createHash(index.idLength === 32 ? 'sha256' : 'sha1')
  for (const part of parts) hash.update(part)
  return Buffer.concat([...parts, hash.digest()])
}

/** Returns whether a folder on the way to a new path is a file in the index, or the path itself a folder. */
function clashes(index: IndexBytes, path: string): boolean {
  const folder = Buffer.from(`${path}/`)
  const next = index.find(folder)
  if (next >= 0 || index.begins(-1 - next, folder)) return true
  for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
    if (index.find(Buffer.from(path.slice(0, slash))) >= 0) return true
  }
  return false
}

function extensionsOf({ bytes, end, idLength }: IndexBytes, paths: readonly string[]): Buffer[] | undefined {
  const kept: Buffer[] = []
  for (let at = end; at < bytes.length - idLength; ) {
    const size = bytes.readUInt32BE(at + 4)
    const what = EXTENSIONS[bytes.toString('latin1', at, at + 4)]
    if (what === undefined || at + 8 + size > bytes.length - idLength) return undefined
    if (what === 'keep') kept.push(bytes.subarray(at, at + 8 + size))
    if (what === 'edit') kept.push(...extension('TREE', invalidated(bytes.subarray(at + 8, at + 8 + size), paths, idLength)))
    at += 8 + size
  }
  return kept
}

function extension(name: string, data: Buffer | undefined): Buffer[] {
  if (!data) return []
  const header = Buffer.alloc(8)
  header.write(name, 'latin1')
  header.writeUInt32BE(data.length, 4)
  return [header, data]
}
