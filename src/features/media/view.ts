import type { Head } from '#core/document.ts'
import { lastSegment } from '#core/key.ts'
import type { FileFacts, Measures } from '#core/media/file-facts.ts'
import { mediaPath, mediaUrl, mimeOfEnding } from '#core/media/media.ts'
import { type Tagged, versionETag } from '#http/answers/etag.ts'
import type { Fields } from '#lib/json.ts'
import type { Entry } from './library.ts'
import type { MediaView, UsedBy } from './schema.ts'
import { checksumIn, focalPointOf, numberIn, textIn } from './sidecar.ts'

/** A media file as it is answered. */
export interface MediaAnswer extends Tagged {
  readonly view: MediaView
}

const NOTHING: Readonly<Fields> = {}

/** The most uses of one file that are told. */
const MOST_USES = 1_000

/** Returns the first of all uses that a reader may know of: those that are told. */
export function toldUses(usedBy: readonly UsedBy[]): readonly UsedBy[] {
  return usedBy.length > MOST_USES ? usedBy.slice(0, MOST_USES) : usedBy
}

/** Returns a media file as clients see it. What lies beside a sidecar says more of its bytes than the sidecar does. */
export async function viewOf({ key, head, file }: Entry, usedBy: readonly UsedBy[], facts: FileFacts): Promise<MediaView> {
  const fields = head?.fields ?? NOTHING
  const said = checksumIn(fields)
  const checksum = file ? await facts.checksum(file) : said
  const isAsSaid = checksum !== null && checksum === said
  const measures = file && !isAsSaid ? await facts.measures(file) : measuresIn(fields)
  return {
    ...namesOf(key.id),
    mime_type: typeOf(key.id, fields),
    size: file ? file.size : numberIn(fields, 'size'),
    ...{ width: measures.width, height: measures.height, duration: measures.duration },
    checksum,
    ...describedBy(fields),
    used_by: toldUses(usedBy),
    ...originOf(head),
  }
}

/** Returns a media file as clients see it in a past revision: what its sidecar said. */
export function pastView(head: Head): MediaView {
  const { key, fields } = head
  return {
    ...{ ...namesOf(key.id), mime_type: typeOf(key.id, fields), size: numberIn(fields, 'size'), ...measuresIn(fields) },
    ...{ checksum: checksumIn(fields), ...describedBy(fields), used_by: [], ...originOf(head) },
  }
}

/** Returns the answer with a media file. Its ETag stands for all of it: what the reader may see is not in the version. */
export function answerOf(view: MediaView, meta?: object): MediaAnswer {
  const text = JSON.stringify({ data: view, ...(meta && { meta }) })
  return { view, body: Buffer.from(text), etag: versionETag(versionOf(view), text) }
}

/** Returns what `If-Match` compares: the version of the sidecar; of a file without one, what its bytes are. */
export function versionOf({ version, checksum }: Pick<MediaView, 'version' | 'checksum'>): string {
  return version ?? checksum?.slice('sha256:'.length) ?? 'none'
}

/** Returns the type of a media file: that of its sidecar, else that of its name. */
export function typeOf(id: string, fields: Readonly<Fields> = NOTHING): string {
  return textIn(fields, 'mime_type') ?? mimeOfEnding(lastSegment(id))
}

/** Returns the folder below `media/` that a media file is in; '' for none. */
export function folderOf(id: string): string {
  const path = mediaPath(id)
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

function measuresIn(fields: Readonly<Fields>): Measures {
  return { width: numberIn(fields, 'width'), height: numberIn(fields, 'height'), duration: numberIn(fields, 'duration') }
}

function namesOf(id: string): Pick<MediaView, 'id' | 'filename' | 'folder' | 'url'> {
  return { id, filename: lastSegment(id), folder: folderOf(id), url: mediaUrl(id) }
}

function describedBy(fields: Readonly<Fields>): Pick<MediaView, 'alt' | 'title' | 'caption' | 'focal_point'> {
  const { focal_point } = fields
  const texts = { alt: textIn(fields, 'alt'), title: textIn(fields, 'title'), caption: textIn(fields, 'caption') }
  return { ...texts, focal_point: focalPointOf(focal_point) }
}

function originOf(head: Head | undefined): Pick<MediaView, 'uploaded_by' | 'created_at' | 'updated_at' | 'version' | 'declared'> {
  return {
    uploaded_by: textIn(head?.fields ?? NOTHING, 'uploaded_by'),
    created_at: head?.createdAt ?? null,
    updated_at: head?.updatedAt ?? null,
    version: head?.version ?? null,
    declared: head !== undefined,
  }
}
