import type { FieldErrors } from '#lib/errors.ts'
import type { Fields } from '#lib/json.ts'
import type { Access } from './access/access.ts'

/** A write of a record that is about to happen: all that Quire itself asks of it is answered. */
export interface RecordWrite {
  readonly action: 'create' | 'update' | 'delete'
  readonly type: string
  /** Undefined of one that is made now. */
  readonly id: string | undefined
  /** The fields as they would be, with `body`; of one that is removed, as they are. */
  readonly record: Readonly<Fields>
}

/** Looks at writes before they happen. Resolves with errors by field where one is refused. */
export type WriteCheck = (access: Access, write: RecordWrite) => Promise<FieldErrors | undefined>
