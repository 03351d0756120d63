import type { Access } from '#core/access/access.ts'
import type { Document } from '#core/document.ts'
import type { RecordWrite } from '#core/writes.ts'
import { InvalidInput } from '#lib/errors.ts'
import type { Fields } from '#lib/json.ts'
import type { Deps } from '../parts.ts'

/** Has a write looked at by who wishes to; throws InvalidInput where it is refused. */
export async function mustPass(
  { check }: Pick<Deps, 'check'>,
  access: Access,
  write: Omit<RecordWrite, 'record'> & { readonly fields: Readonly<Fields>; readonly body: string | undefined },
): Promise<void> {
  if (!check) return
  const { fields, body, ...rest } = write
  const set = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined)
  const record = { ...Object.fromEntries(set), ...(body !== undefined && { body }) }
  const errors = await check(access, { ...rest, record })
  if (errors) throw new InvalidInput(errors)
}

/** As `mustPass`, of a record that is removed. */
export async function mustPassRemoval(deps: Pick<Deps, 'check'>, access: Access, { key, fields, body }: Document): Promise<void> {
  await mustPass(deps, access, { action: 'delete', type: key.kind, id: key.id, fields, body })
}
