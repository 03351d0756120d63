import { readQuick } from '#frontmatter/yaml/quick.ts'
import { readYaml } from '#frontmatter/yaml/yaml.ts'
import { Unavailable } from '#lib/errors.ts'
import type { Fields } from '#lib/json.ts'
import { idToPath, MEDIA } from '../key.ts'
import type { BlobRef, Blobs } from '../media/blobs.ts'
import type { MovedDocument, MovedFile } from '../transfer.ts'
import type { SiteArea, SiteFile, SiteFiles } from './site-files.ts'

const AREAS: readonly SiteArea[] = ['content', 'static']

/** Number of files that are listed at once. */
const AT_ONCE = 500

const CHECKSUM = /^sha256:([0-9a-f]{64})$/

/** The bytes that a sidecar names, at the path of a file beside it. */
interface NamedBytes {
  readonly path: string
  readonly ref: BlobRef
  readonly size: number
}

/** Gives the files of a site that are no documents, then what its sidecars name where there is no file beside them. */
export async function* movedFiles(
  { siteFiles, blobs }: { readonly siteFiles: SiteFiles; readonly blobs: Blobs },
  documents: AsyncIterable<MovedDocument> | Iterable<MovedDocument>,
): AsyncGenerator<MovedFile> {
  for (const area of AREAS) {
    for await (const file of allOf(siteFiles, area)) {
      yield { area, path: file.path, size: file.size, open: async () => orGone(file.path, await siteFiles.open(file)) }
    }
  }
  for await (const document of documents) {
    const named = namedBytes(document)
    if (!named || (await siteFiles.find('content', named.path))) continue
    const { path, ref, size } = named
    // Bytes that are lost already are no reason to keep the rest from moving.
    const probe = await blobs.open(ref, { start: 0, end: 0 })
    if (!probe) continue
    probe.destroy()
    yield { area: 'content', path, size, open: async () => orGone(path, await blobs.open(ref)) }
  }
}

/** Returns the bytes that the sidecar of a media file names; undefined for any other document, and where none are named. */
export function namedBytes({ key, bytes }: MovedDocument): NamedBytes | undefined {
  if (key.kind !== MEDIA) return undefined
  const { checksum, size } = fieldsOf(bytes.toString('utf8'))
  const ref = CHECKSUM.exec(String(checksum))?.[1]
  if (ref === undefined || typeof size !== 'number') return undefined
  return { path: `${MEDIA}/${idToPath(key.id)}`, ref, size }
}

function fieldsOf(text: string): Fields {
  try {
    return readQuick(text) ?? readYaml(text)
  } catch {
    return {}
  }
}

async function* allOf(siteFiles: SiteFiles, area: SiteArea): AsyncGenerator<SiteFile> {
  for (let after: string | undefined; ; ) {
    const files = await siteFiles.list(area, { ...(after !== undefined && { after }), limit: AT_ONCE })
    yield* files
    after = files.at(-1)?.path
    if (files.length < AT_ONCE) return
  }
}

function orGone<T>(path: string, found: T | undefined): T {
  if (found === undefined) throw new Unavailable(`The bytes of ${path} are gone, or were changed meanwhile.`)
  return found
}
