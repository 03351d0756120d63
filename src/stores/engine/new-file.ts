import { fileName, keyOfFile, movedFile } from '#core/files/layout.ts'
import { isPrivate, type Key, keyText } from '#core/key.ts'

/**
 * Returns the file of a document that is to be made: its `former` one where it is still one for this key, else one of the form of
 * the file that it is moved from, else the usual one of its kind.
 */
export function newFile(key: Key, former: string | undefined, was: { path: string; id: string } | undefined): string {
  const { kind } = key
  if (isPrivate(kind)) return `${kind.slice(1)}/${fileName(key, was)}`
  const there = former === undefined ? undefined : keyOfFile(former)
  if (former !== undefined && there && keyText(there) === keyText(key)) return former
  return (was && movedFile(key, was.path)) ?? `${kind}/${fileName(key, was)}`
}
