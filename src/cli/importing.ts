import { Fetching } from '#features/importing/fetching.ts'
import { Importer } from '#features/importing/importer.ts'
import type { Source } from '#features/importing/item.ts'
import { publicFetcher } from '#features/importing/public-fetcher.ts'
import { readerOf } from '#features/importing/readers.ts'
import type { ImportReport } from '#features/importing/report.ts'
import { examined, factsOf } from '#features/media/uploading/examined.ts'
import { parseSize } from '#lib/size.ts'
import type { Call } from './command.ts'
import { demoNote } from './demo-pages.ts'
import type { Quire } from './open/site.ts'

/** An import that is asked for; `path` is absolute. */
interface Asked {
  readonly path: string
  readonly source: Source
  readonly dryRun: boolean
  readonly fetch: boolean
}

/** Imports what another tool has into a site. */
export async function importFrom(call: Call, site: Quire, { path, source, dryRun, fetch }: Asked): Promise<ImportReport> {
  const { store, types, blobs, access, config } = site
  const now = site.clock.now()
  const open = await readerOf(source)
  const shortcodes = site.config.features.site ? await site.features.site.shortcodes() : new Set<string>()
  const reader = await open({ path, types, now, shortcodes })
  const most = parseSize(config.media.max_size) ?? 0
  const fetching = fetch ? new Fetching(publicFetcher, most, call.signal) : undefined
  const progress = call.output.progress('Importing')
  const { signal } = call
  try {
    const importer = new Importer({
      ...{ store, types, blobs, by: access.author, source, dryRun, fetching, now, signal, most, factsOf },
      roots: { data: site.root, static: site.isInFiles ? site.root : undefined },
      examine: (bytes, ending) => examined(bytes, ending, config.media),
      onProgress: (done) => progress.step(done),
    })
    const report = await importer.run(reader)
    const note = await demoNote(store)
    return note === undefined ? report : { ...report, notes: [...report.notes, note] }
  } finally {
    progress.end()
    await fetching?.close()
  }
}
