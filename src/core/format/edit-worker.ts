import { answerQuestions } from '#lib/concurrency/worker-answers.ts'
import { Conflict, type FieldErrors, InvalidInput, type Placed, Unreadable } from '#lib/errors.ts'
import type { Fields } from '#lib/json.ts'
import type { Head } from '../document.ts'
import type { FileForm } from '../files/file-form.ts'
import type { Key } from '../key.ts'
import type { Shape } from '../types/content-type.ts'
import { editDocument } from './edit.ts'

/** An edit, as `editDocument` is given it; `base` is what it starts from. */
export interface EditQuestion {
  readonly shape: Shape
  readonly base: Uint8Array | undefined
  readonly form: FileForm
  readonly set: Fields | undefined
  readonly body: string | undefined
  readonly key: Key
  readonly file: string
}

/** The file that was made, or why there is none. */
export type EditAnswer =
  | { readonly made: { readonly bytes: Uint8Array; readonly head: Head; readonly body: string } }
  | { readonly conflict: string; readonly hint: string | undefined }
  | { readonly invalid: FieldErrors }
  | { readonly unreadable: string; readonly at: Placed; readonly hint: string | undefined }

answerQuestions(answer)

function answer({ shape, base, form, set, body, key, file }: EditQuestion): EditAnswer {
  const current = base && Buffer.from(base.buffer, base.byteOffset, base.byteLength)
  try {
    const put = { ...(set && { set }), ...(body !== undefined && { body }) }
    return { made: editDocument(shape, current, form, put, key, file) }
  } catch (error) {
    if (error instanceof Conflict) return { conflict: error.message, hint: error.hint }
    if (error instanceof InvalidInput) return { invalid: error.errors }
    if (!(error instanceof Unreadable)) throw error
    const { message, file, line, column, hint } = error
    return { unreadable: message, at: { file, line, column }, hint }
  }
}
