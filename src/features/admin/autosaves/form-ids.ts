import { createHash, randomBytes } from 'node:crypto'

/** The id of a form, and before it those of forms that were kept and whose words are in it: it takes their place. */
export type FormIds = readonly [own: string, ...taken: string[]]

const ID = /^[0-9a-z]{8,64}$/
/** A form takes the place of few: of the one that it goes on with, and of its own from before each save. */
const MOST = 8

/** Returns the id of a form that nobody has seen yet. */
export function newFormId(): string {
  return randomBytes(16).toString('hex')
}

/** Returns the id of the form of a place for who says none. */
export function formIdOf({ resource, id }: { readonly resource: string; readonly id: string | undefined }): string {
  return createHash('sha256')
    .update(JSON.stringify([resource, id ?? null]))
    .digest('hex')
    .slice(0, 32)
}

/** Reads ids with spaces between them; undefined where they are none. */
export function formIdsIn(text: string): FormIds | undefined {
  const [own, ...taken] = text.split(' ', MOST)
  if (own === undefined || ![own, ...taken].every((id) => ID.test(id))) return undefined
  return [own, ...taken]
}
