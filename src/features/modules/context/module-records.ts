import type { Access } from '#core/access/access.ts'
import type { Document } from '#core/document.ts'
import { NotFound } from '#lib/errors.ts'
import type { Fields } from '#lib/json.ts'
import type { Records as ModuleRecords } from '#module/context.ts'
import type { Records } from '../../records/records.ts'
import { type Granted, notGranted } from '../granted.ts'
import { accessOfModule } from '../module-access.ts'
import { askedFault } from './faults.ts'
import { type KnownJson, listName, recordName } from './known-json.ts'

/** Makes the records of the site as a module has them: with its own rights, in the form of the API. */
export function recordsOf(granted: Granted, records: () => Records, json: KnownJson): ModuleRecords {
  const access = accessOfModule(granted)
  const doing = async <T>(work: (access: Access, records: Records) => Promise<T>): Promise<T> => {
    if (granted.records.length === 0) throw notGranted(granted.module, 'records:<right>', 'records')
    try {
      return await work(access, records())
    } catch (error) {
      throw askedFault(error)
    }
  }
  return {
    get: (type, id) =>
      doing((access, records) =>
        records
          .get(access, type, id)
          .then(
            ({ json: bytes, document: { key } }) => json.valueOf(recordName(key.kind, key.id), bytes) as Fields,
            noneIfMissing,
          ),
      ),
    list: (type, query = {}) =>
      doing(async (access, records) => {
        const { data, items, meta } = await records.browse(access, type, query)
        return { data: json.valueOf(nameOfItems(items), data) as Fields[], total: meta.total }
      }),
    create: (type, fields) =>
      doing(async (access, records) => recordIn((await records.create(access, type, fields, { source: 'api' })).json)),
    update: (type, id, fields, base) =>
      doing(async (access, records) => {
        const options = { asked: { source: 'api' as const }, ...(base !== undefined && { base }) }
        return recordIn((await records.update(access, type, id, fields, options)).json)
      }),
    remove: (type, id) => doing((access, records) => records.remove(access, type, id, { asked: { source: 'api' } })),
  }
}

function noneIfMissing(error: unknown): undefined {
  if (!(error instanceof NotFound)) throw error
}

function nameOfItems(items: readonly Document[]): string {
  const [first, last] = [items[0]?.key, items.at(-1)?.key]
  return first && last ? listName(recordName(first.kind, first.id), recordName(last.kind, last.id), items.length) : ''
}

function recordIn(json: Buffer): Fields {
  return JSON.parse(json.toString()) as Fields
}
