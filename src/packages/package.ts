import { packedFiles } from './archive.ts'
import { PackageFault } from './fault.ts'
import { MANIFEST_FILE, type Manifest, parseManifest } from './manifest.ts'

/** The most bytes of a readme that are shown. */
const MOST_README = 128 * 1024

/** The contents of a package, as far as it is shown before it is added. */
export interface Inspected {
  readonly manifest: Manifest
  /** Its README.md; '' where it has none. */
  readonly readme: string
  readonly files: number
  readonly bytes: number
}

/**
 * Reads a package without writing anything. Throws PackageFault where it is none: something in it that no module has, no manifest at
 * its root, or no file of the name that `main` gives.
 */
export async function inspect(tgz: Uint8Array): Promise<Inspected> {
  const paths = new Set<string>()
  let [manifest, readme, bytes]: [string | undefined, string, number] = [undefined, '', 0]
  for await (const file of packedFiles(tgz)) {
    paths.add(file.path)
    bytes += file.bytes.length
    if (file.path === MANIFEST_FILE) manifest = textOf(file.bytes)
    if (/^readme\.(?:md|markdown)$/i.test(file.path)) readme = file.bytes.toString('utf8', 0, MOST_README)
  }
  if (manifest === undefined)
    throw new PackageFault(`The package has no ${MANIFEST_FILE} at its root.`, undefined, 'Make it with `cms module:publish`.')
  const read = parseManifest(manifest)
  if (!paths.has(read.main))
    throw new PackageFault(`The package has no file "${read.main}", which its ${MANIFEST_FILE} names as main.`)
  return { manifest: read, readme, files: paths.size, bytes }
}

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new PackageFault(`${MANIFEST_FILE} is not UTF-8.`)
  }
}
