import type { Access, Caller } from '#core/access/access.ts'
import type { Version } from '#core/document.ts'
import type { Asked } from '#core/history/revision.ts'
import { mediaAt, mediaPath, mediaUrl, mimeOfEnding } from '#core/media/media.ts'
import type { Field } from '#core/types/content-type.ts'
import { fieldOf } from '#core/types/fields.ts'
import type { QueryParams } from '#http/requests/query.ts'
import { InvalidInput } from '#lib/errors.ts'
import type { Fields, Json } from '#lib/json.ts'
import { parseSize } from '#lib/size.ts'
import { MEDIA_TYPES, type MediaType } from '#media/types.ts'
import type { FileResource, FileSummary, SentFile } from '../../file-resource.ts'
import type { Past, Resource, Resources, ResourceWrite, Row, Rows, SourceText } from '../../resource.ts'
import { sourceOf } from '../../source-text.ts'
import type { Media } from '../media.ts'
import type { ListedMedia } from '../schema.ts'
import { addressOf } from '../serving/picture-path.ts'
import { reachOf } from '../sight.ts'
import type { Uploads } from '../uploading/uploads.ts'
import { removedRows, rowOf } from './rows.ts'

/** The least width of the pictures that lists show, and of the one on a page of its own. */
const SMALL = 320
const LARGE = 1200

/** Types of pictures that smaller ones are made of. */
const DRAWN: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/avif', 'image/gif'])

/** The dependencies of media in the panel. */
export interface MediaResourceDeps {
  readonly media: Media
  /** The taking in of files, in a server. */
  readonly uploads: () => Uploads
  /** The widths that smaller pictures may have. */
  readonly widths: readonly number[]
  readonly types: readonly MediaType[]
  /** The revisions of files; undefined where these are switched off. */
  readonly past: Past | undefined
  /** The most bytes of a file, as `parseSize` reads them. */
  readonly maxSize: string
}

/** The media of a site in the panel. */
export class MediaResource implements FileResource, Resources {
  readonly name = 'media'
  readonly label = 'Media'
  readonly singular = 'file'
  readonly group = 'arrange'
  readonly icon = 'image'
  readonly layout = 'form'
  readonly columns = ['mime_type', 'size', 'updated_at']
  readonly sorts = ['created_at', 'updated_at', 'filename', 'size']
  readonly removal = 'Its address answers no more. Its revisions stay, and a rollback brings it back.'
  readonly accept: readonly string[]
  readonly most: number
  readonly maxSize: string
  readonly #deps: MediaResourceDeps

  constructor(deps: MediaResourceDeps) {
    this.#deps = deps
    this.maxSize = deps.maxSize
    this.most = parseSize(deps.maxSize) ?? 0
    this.accept = deps.types.flatMap((type) => MEDIA_TYPES[type].endings).map((ending) => `.${ending}`)
  }

  async seen(access: Access): Promise<Resource[]> {
    return this.sees(access) ? [this] : []
  }

  named(name: string): Resource | undefined {
    return name === this.name ? this : undefined
  }

  sees(access: Access): boolean {
    return access.may('content:read')
  }

  fields(): readonly Field[] {
    return [
      fieldOf('alt', {
        type: 'text',
        label: 'Alt text',
        rules: 'max:10000',
        help: 'What somebody who can’t see it should know.',
      }),
      fieldOf('title', { type: 'text', rules: 'max:200' }),
      fieldOf('caption', { type: 'text', rules: 'max:10000' }),
    ]
  }

  mayCreate(): boolean {
    return false
  }

  mayUpload(access: Access): boolean {
    return reachOf(access) !== 'none'
  }

  mayUpdate(access: Access, { values }: Row): boolean {
    const reach = reachOf(access)
    const isTheirs = access.handle !== undefined && access.handle !== '' && values.uploaded_by === access.handle
    return reach === 'all' || (reach === 'own' && isTheirs)
  }

  mayMove(access: Access, row: Row): boolean {
    return row.values.declared === true && this.mayUpdate(access, row)
  }

  mayRemove(access: Access, row: Row): boolean {
    return this.mayMove(access, row)
  }

  async list(access: Access, params: QueryParams): Promise<Rows> {
    if (params.deleted === 'true') return removedRows(await this.#deps.media.past.removed(access, params))
    const { data, meta } = await this.#deps.media.list(access, params)
    return {
      rows: data.map((view) => this.#row(view)),
      total: meta.total,
      page: meta.current_page,
      perPage: meta.per_page,
    }
  }

  summary(access: Access, folder: string): Promise<FileSummary> {
    return this.#deps.media.summary(access, folder)
  }

  async get(access: Access, id: string): Promise<Row> {
    return this.#row((await this.#deps.media.get(access, id)).view)
  }

  async inVersion(access: Access, id: string, version: Version): Promise<Row | undefined> {
    const view = await this.#deps.media.inVersion(access, id, version)
    return view && this.#row(view)
  }

  get past(): Past | undefined {
    return this.#deps.past
  }

  async source(access: Access, id: string): Promise<SourceText | undefined> {
    return sourceOf(await this.#deps.media.past.sidecar(access, id))
  }

  apiPath(id: string): string {
    return `/api/media/${encodeURIComponent(id)}`
  }

  async answer(access: Access, id: string): Promise<Json> {
    return JSON.parse((await this.#deps.media.get(access, id)).body.toString()).data
  }

  async update(access: Access, id: string, values: Fields, { asked, base }: ResourceWrite): Promise<Row> {
    return this.#row((await this.#deps.media.update(access, id, values, { asked, base })).view)
  }

  async remove(access: Access, id: string, { asked }: ResourceWrite): Promise<void> {
    await this.#deps.media.remove(access, id, { asked })
  }

  async drop(access: Access, id: string, { asked, force }: ResourceWrite & { readonly force: boolean }): Promise<void> {
    await this.#deps.media.remove(access, id, { asked, force })
  }

  async move(access: Access, id: string, path: string, asked: Asked): Promise<Row> {
    const to = mediaAt(path.replace(/^\/?(?:media\/)?/, ''))
    if (!to) throw new InvalidInput({ path: ['The path must be names with / between them, such as 2026/photo.jpg.'] })
    return this.#row((await this.#deps.media.move(access, id, to.id, { asked })).view)
  }

  mustMayUpload(access: Access): Promise<void> {
    return this.#deps.uploads().mustMayUpload(access)
  }

  async upload(caller: Caller, file: SentFile, texts: ReadonlyMap<string, string>, asked: Asked): Promise<Row> {
    const uploads = this.#deps.uploads()
    const upload = await uploads.keep(file, texts, asked.request ?? '')
    return this.#row((await uploads.create(caller, upload, asked)).view)
  }

  mustMayReplace(access: Access, id: string): Promise<void> {
    return this.#deps.uploads().mustMayReplace(access, id, {})
  }

  async replace(caller: Caller, id: string, file: SentFile, asked: Asked): Promise<Row> {
    const uploads = this.#deps.uploads()
    const upload = await uploads.keep(file, new Map(), asked.request ?? '')
    return this.#row((await uploads.replace(caller, id, upload, { asked })).view)
  }

  pictureOf(path: string): string | undefined {
    const key = mediaAt(path)
    if (!key) return undefined
    return this.#smaller({ id: key.id, mime_type: mimeOfEnding(path), url: mediaUrl(key.id) }, SMALL, true) ?? undefined
  }

  #row(view: ListedMedia): Row {
    const { width, url } = view
    const thumbnail = this.#smaller(view, SMALL, true)
    const preview = width !== null && width > LARGE ? this.#smaller(view, LARGE, false) : url
    const row = rowOf(view)
    return { ...row, values: { ...row.values, thumbnail, preview } }
  }

  /** The address of a smaller picture: of this width or the next, cropped to 4:3 for lists. Of what is none, null. */
  #smaller(
    { id, mime_type, url }: Pick<ListedMedia, 'id' | 'mime_type' | 'url'>,
    least: number,
    isCropped: boolean,
  ): string | null {
    if (!mime_type.startsWith('image/')) return null
    const widths = this.#deps.widths.toSorted((a, b) => a - b)
    const width = widths.find((one) => one >= least) ?? widths.at(-1)
    if (!DRAWN.has(mime_type) || width === undefined) return url
    const height = isCropped ? { height: Math.round((width * 3) / 4) } : {}
    return mediaUrl(addressOf({ path: mediaPath(id), width, ...height, format: 'webp' }).replaceAll('/', '~'))
  }
}
