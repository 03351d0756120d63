import type { Head } from '../../core/document.ts'
import type { Json } from '../../core/json.ts'
import type { User } from './user.ts'

/** The user that a document holds; undefined where it can't be read as one. One whose `disabled` is anything but false is. */
export function readUser({ key, fields, problem }: Head): User | undefined {
  const email = text(fields.email)
  const handle = text(fields.handle)
  if (problem?.severity === 'error' || email === undefined || handle === undefined) return undefined
  return {
    ...{ id: key.id, email, handle },
    name: text(fields.name) ?? handle,
    role: text(fields.role) ?? '',
    disabled: fields.disabled !== false,
    tokenVersion: typeof fields.token_version === 'number' ? fields.token_version : 0,
    passwordHash: text(fields.password),
    createdAt: text(fields.created),
  }
}

function text(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}
