import { parseDocument, stringify } from 'yaml'
import type { Shape } from '../content-type.ts'
import { Unreadable } from '../errors.ts'
import type { Fields } from '../json.ts'
import type { Key } from '../key.ts'
import type { Put } from '../store.ts'
import { keysOf } from './names.ts'
import { headText, readRaw } from './raw.ts'
import { type FileForm, isData } from './split.ts'

/** The bytes that `put` makes of `current` (undefined: a new file). The same bytes back where nothing changes. */
export function editSource(_shape: Shape, current: Buffer | undefined, form: FileForm, put: Put, key: Key): Buffer {
  const base = put.source ?? current ?? Buffer.alloc(0)
  if (put.set === undefined && put.body === undefined) return base
  const raw = readRaw(base, form, key.id)
  if ('problem' in raw) throw new Unreadable(raw.problem.message, raw.problem, raw.problem.hint)
  const set: Fields = { ...put.set, ...(isData(form) && put.body !== undefined && { body: put.body }) }
  const tree = parseDocument(raw.parts.syntax === 'yaml' ? headText(base, raw.parts) : '')
  for (const [name, value] of Object.entries(set)) {
    const [own = name] = keysOf(name, raw.data, _shape)
    if (value === null) tree.delete(own)
    else tree.set(own, value)
  }
  const head = tree.contents === null || Object.keys(tree.toJS() ?? {}).length === 0 ? stringify({}) : String(tree)
  if (raw.parts.data) return Buffer.from(head)
  const body = put.body === undefined ? base.subarray(raw.parts.bodyStart) : Buffer.from(put.body)
  return Buffer.concat([Buffer.from(`---\n${head === '{}\n' ? '' : head}---\n\n`), body])
}
