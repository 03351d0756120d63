import { type FieldErrors, InvalidInput } from '#lib/errors.ts'
import type { Fields } from '#lib/json.ts'
import { readMediaInput } from '../input.ts'
import { readFolder } from './names.ts'

/** Texts that may be sent with a file. */
const TEXTS: readonly string[] = ['alt', 'title', 'caption']

/** The texts that come with a file. */
export interface SentTexts {
  readonly fields: Fields
  readonly folder: string
}

/** Checks the texts of a form; throws InvalidInput with all that is wrong with it. */
export function readFields(sent: ReadonlyMap<string, string>, errors: FieldErrors, texts: boolean): SentTexts {
  const known = texts ? [...TEXTS, 'folder'] : []
  const faults = new Map(Object.entries(errors))
  const blame = (name: string, messages: string[]) => {
    if (!faults.has(name)) faults.set(name, messages)
  }
  const beside = known.length > 0 ? `are ${known.join(', ')}` : 'there are none'
  for (const name of sent.keys())
    if (!known.includes(name)) blame(name, [`There is no field "${name}"; beside the file ${beside}.`])
  const read = <T>(work: () => T, otherwise: T): T => {
    try {
      return work()
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error
      for (const [name, messages] of Object.entries(error.errors)) blame(name, messages)
      return otherwise
    }
  }
  const fields = read(() => readMediaInput(Object.fromEntries([...sent].filter(([name]) => TEXTS.includes(name))), []), {})
  const folder = read(() => readFolder(sent.get('folder') ?? ''), '')
  if (faults.size > 0) throw new InvalidInput(Object.fromEntries(faults))
  return { fields, folder }
}
