import type { Author } from '#core/document.ts'
import { isRecordName } from '#core/files/layout.ts'
import { EditThread } from '#core/format/edit-thread.ts'
import { keyText } from '#core/key.ts'
import { absolute, leadsElsewhere } from '#core/links/resolve.ts'
import { ScanThread } from '#core/links/scan-thread.ts'
import { isAttachmentName } from '#core/media/attachments.ts'
import { statusAt } from '#core/status.ts'
import type { ContentTypes } from '#core/types/content-type.ts'
import { Failure } from '#lib/errors.ts'
import { IncomingFiles, type IncomingFilesDeps, messageOf } from './incoming-files.ts'
import type { DataItem, Item, Reader, RecordItem, Source } from './item.ts'
import { type Made, type MakingDeps, makeData, makeRecord } from './made-record.ts'
import { isMediaName, MediaFiles, type MediaFilesDeps } from './media-files.ts'
import { type ImportReport, Tally } from './report.ts'
import { addressesIn, fieldsWithAddresses, picturesElsewhere, withAddresses, withCallsAddressed } from './texts.ts'
import { Writing } from './written.ts'

/** Matches a tag of another tool, which that put an address in the place of. */
const TAG = /\{\{|\{%/

/** The dependencies of an import. */
export interface ImporterDeps extends Omit<MediaFilesDeps, 'store'>, IncomingFilesDeps {
  readonly types: ContentTypes
  readonly by: Author
  readonly source: Source
  /** The present time in milliseconds since 1970. */
  readonly now: number
  readonly signal: AbortSignal
}

/** Takes over what another tool has: it is read one thing after the other, made into documents, and written in batches. */
export class Importer {
  readonly #deps: ImporterDeps
  readonly #media: MediaFiles
  readonly #files: IncomingFiles
  readonly #writing: Writing
  readonly #tally = new Tally()
  readonly #making: MakingDeps & { readonly editing: EditThread }
  readonly #scanner = new ScanThread()
  /** The places of records by the texts of their keys: of two with one id, the second is a problem. */
  readonly #places = new Map<string, string>()

  constructor(deps: ImporterDeps) {
    this.#deps = deps
    this.#media = new MediaFiles(deps)
    this.#writing = new Writing(deps)
    this.#files = new IncomingFiles(deps, { media: this.#media, writing: this.#writing, tally: this.#tally })
    this.#making = { types: deps.types, editing: new EditThread(), now: deps.now }
  }

  /** Imports all that a reader gives. One at a time; once. */
  async run(reader: Reader): Promise<ImportReport> {
    try {
      await this.#files.take(reader)
      for await (const item of reader.items()) {
        await this.#take(item)
        this.#deps.onProgress(this.#tally.done)
      }
      await this.#writing.flush()
    } finally {
      await this.#making.editing.close()
    }
    return this.#tally.report(this.#deps.source, this.#deps.dryRun)
  }

  async #take(item: Item): Promise<void> {
    switch (item.is) {
      case 'record':
        return this.#made(item, () => this.#record(item))
      case 'data':
        return this.#made(item, () => makeData(item, this.#making))
      case 'copy':
        return this.#files.copy(item)
      case 'left':
        return this.#tally.leave(item.from, item.reason)
      case 'note':
        return this.#tally.note(item.text)
      case 'problem': {
        const { is: _, ...problem } = item
        return this.#tally.problem(problem)
      }
      default:
        return item satisfies never
    }
  }

  async #record(item: RecordItem): Promise<Made> {
    const addressed = (href: string) => this.#addressOf(item, href)
    const shown = await picturesElsewhere(item.body, this.#scanner)
    for (const url of [...addressesIn({ ...item.data, ...item.set }), ...shown])
      if (addressed(url) === undefined) await this.#files.fetch(url)
    const { text: linked, failed } = await withAddresses(item.body, this.#scanner, addressed)
    const text = withCallsAddressed(linked, addressed)
    if (failed) this.#tally.note(`Links of ${item.from} are as they were: how they are written can't be told for certain.`)
    const named = (value: string) => (isMediaName(value.split(/[?#]/, 1)[0] ?? '') ? addressed(value) : undefined)
    const set = { ...fieldsWithAddresses(item.data ?? {}, named), ...item.set, ...fieldsWithAddresses(item.set, named) }
    return makeRecord(item, set, text, this.#making)
  }

  /** The address of the media file that a link leads to, with what comes after its path. */
  #addressOf(item: RecordItem, href: string): string | undefined {
    const end = href.search(/[?#]/)
    const paths = item.locate(end < 0 ? href : href.slice(0, end))
    const address = [...paths, href].map((path) => this.#media.addressOf(path)).find((one) => one !== undefined)
    if (address === undefined) return fromItsPage(item, href)
    return address + (href.includes('#') ? href.slice(href.indexOf('#')) : '')
  }

  async #made(item: RecordItem | DataItem, make: () => Promise<Made>): Promise<void> {
    const failed = (error: unknown) => {
      if (!(error instanceof Failure)) throw error
      this.#tally.problem({ file: item.from, message: messageOf(error), hint: error.hint, ...placeOf(error) })
    }
    try {
      const made = await make()
      const text = keyText(made.key).toLowerCase()
      const other = this.#places.get(text)
      if (other !== undefined) {
        const message = `It would be ${keyText(made.key)}, which ${other} is already.`
        return this.#tally.problem({ file: item.from, message, hint: 'Rename one of them, then import again.' })
      }
      this.#places.set(text, item.from)
      await this.#write(item, made, failed)
    } catch (error) {
      failed(error)
    }
  }

  async #write(item: RecordItem | DataItem, made: Made, failed: (error: unknown) => void): Promise<void> {
    const { key, file, bytes } = made
    const { outcome, expects } = await this.#writing.outcomeOf(made)
    const done = () => {
      if (item.is === 'record') this.#tally.record(key.kind, outcome)
      else this.#tally.document(key.kind, outcome)
      if (outcome === 'kept') this.#tally.keep(item.from)
      else this.#tell(item, made)
    }
    if (outcome === 'same' || outcome === 'kept') return done()
    const put = { source: bytes, file }
    const change = async () => ({ key, put, expects })
    await this.#writing.add({ change, bytes: bytes.length, done, failed })
  }

  #tell(item: RecordItem | DataItem, { key, head, hidden, redirects }: Made): void {
    if (item.is !== 'record') return
    const { statuses } = this.#deps.types.shape(key.kind)
    const status = String(head.fields.status)
    if (statuses.get(status)?.live !== true) this.#tally.drafts++
    if (redirects) this.#tally.redirects++
    for (const [what, names] of Object.entries(item.foreign ?? {}))
      for (const name of names) this.#tally.leave(item.from, what, name)
    if (hidden !== undefined) this.#tally.leave(item.from, `not public before, so drafts now: ${hidden}`)
    else if (statusAt(head.fields, statuses, this.#deps.now) === 'scheduled')
      this.#tally.leave(item.from, 'of a day to come: public from then on')
  }
}

/** A link to a page that starts from the page it is on, from the root: that page may get another address. */
function fromItsPage({ address }: RecordItem, href: string): string | undefined {
  const [path = ''] = href.split(/[?#]/, 1)
  if (address === undefined || leadsElsewhere(href) || path.startsWith('/') || TAG.test(path)) return undefined
  return isRecordName(path) || isAttachmentName(path) ? undefined : absolute(href, address)
}

function placeOf(error: Failure): { line?: number; column?: number } {
  const { line, column } = error as { line?: number; column?: number }
  return { ...(line !== undefined && { line }), ...(column !== undefined && { column }) }
}
