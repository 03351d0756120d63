import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Test } from 'tap'
import type { Fetching } from '#features/importing/fetching.ts'
import { Importer } from '#features/importing/importer.ts'
import type { Source } from '#features/importing/item.ts'
import { readerOf } from '#features/importing/readers.ts'
import type { ImportReport } from '#features/importing/report.ts'
import { examined, factsOf } from '#features/media/uploading/examined.ts'
import type { OpenedStore } from './stores.ts'

/** A PNG of one pixel. */
export const PIXEL: Buffer = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** Writes files, by path, into a folder that is removed with the test. */
export function exportOf(t: Pick<Test, 'teardown'>, files: Readonly<Record<string, string | Buffer>>): string {
  const root = mkdtempSync(join(tmpdir(), 'quire-export-'))
  t.teardown(() => rmSync(root, { recursive: true, force: true, maxRetries: 3 }))
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  return root
}

/** The options of an import in a test. */
export interface ImportOptions {
  readonly dryRun?: boolean
  readonly fetching?: Fetching
  readonly signal?: AbortSignal
  /** The folder of the site that files are copied to; without it, none is. */
  readonly root?: string
  readonly onProgress?: (done: number) => void
}

/** Imports what is at a path into a store, as the command does. */
export async function importInto(
  { store, types, blobs, clock }: Pick<OpenedStore, 'store' | 'types' | 'blobs' | 'clock'>,
  source: Source,
  path: string,
  { dryRun = false, fetching, signal = new AbortController().signal, root, onProgress = () => undefined }: ImportOptions = {},
): Promise<ImportReport> {
  const open = await readerOf(source)
  const now = clock.now()
  const reader = await open({ path, types, now, shortcodes: new Set(['figure', 'youtube']) })
  const limits = { types: ['jpeg', 'png', 'gif', 'webp', 'pdf'] as const, max_pixels: 1_000_000, keep_metadata: false }
  const by = { name: 'Ada', email: 'ada@example.org' }
  const importer = new Importer({
    ...{ store, types, blobs: () => blobs, by, source, dryRun, fetching, now, signal, factsOf },
    most: 1024 * 1024,
    examine: (bytes, ending) => examined(bytes, ending, limits),
    onProgress,
    roots: { static: root, data: root },
  })
  return importer.run(reader)
}
