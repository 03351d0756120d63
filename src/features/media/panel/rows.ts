import { kindOfType, mediaPath } from '#core/media/media.ts'
import type { Fields } from '#lib/json.ts'
import type { Row, Rows } from '../../resource.ts'
import type { PastMedia } from '../past.ts'
import type { ListedMedia } from '../schema.ts'
import { versionOf } from '../view.ts'

/** Returns a file as the panel has it, without pictures of it. */
export function rowOf(view: ListedMedia): Row {
  const { id, filename, url } = view
  const values = { ...(JSON.parse(JSON.stringify(view)) as Fields), path: mediaPath(id), kind: kindOfType(view.mime_type) }
  return { id, title: filename, values, version: versionOf(view), url }
}

/** Returns files that were removed as the panel lists them. */
export function removedRows({ data, meta }: Awaited<ReturnType<PastMedia['removed']>>): Rows {
  const rows = data.map(({ head: { key }, deletedAt, revision }) => {
    const values = { deleted_at: deletedAt, revision }
    return { id: key.id, title: mediaPath(key.id), values }
  })
  return { rows, total: meta.total, page: meta.current_page, perPage: meta.per_page }
}
