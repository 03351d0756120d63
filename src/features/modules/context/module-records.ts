import type { Access } from '#core/access/access.ts'
import { NotFound } from '#lib/errors.ts'
import type { Fields } from '#lib/json.ts'
import type { Records as ModuleRecords } from '#module/context.ts'
import type { Records } from '../../records/records.ts'
import { type Granted, notGranted } from '../granted.ts'
import { accessOfModule } from '../module-access.ts'
import { asked } from './faults.ts'
import type { KnownJson } from './known-json.ts'

/** Makes the records of the site as a module has them: with its own rights, in the form of the API. */
export function recordsOf(granted: Granted, records: () => Records, json: KnownJson): ModuleRecords {
  const access = accessOfModule(granted)
  const doing = <T>(work: (access: Access, records: Records) => Promise<T>): Promise<T> => {
    if (granted.records.length === 0) return Promise.reject(notGranted(granted.module, 'records:<right>', 'records'))
    return asked(() => work(access, records()))
  }
  return {
    get: (type, id) =>
      doing(async (access, records) => {
        try {
          return json.valueOf(`${type}/${id}`, (await records.get(access, type, id)).json) as Fields
        } catch (error) {
          if (error instanceof NotFound) return undefined
          throw error
        }
      }),
    list: (type, query = {}) =>
      doing(async (access, records) => {
        const { data, etag, meta } = await records.browse(access, type, query)
        return { data: json.valueOf(etag, data) as Fields[], total: meta.total }
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

function recordIn(json: Buffer): Fields {
  return JSON.parse(json.toString()) as Fields
}
