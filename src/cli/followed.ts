import { counted } from '#lib/text/counted.ts'
import type { Call } from './command.ts'

/** Says what followed a record to its new address, and what could not; gives it as data. */
export function tellFollowed(call: Call, { rewritten, left }: { readonly rewritten: number; readonly left: readonly string[] }) {
  if (rewritten > 0)
    call.output.say(`${counted(rewritten, 'document')} that led to it ${rewritten === 1 ? 'was' : 'were'} rewritten.`)
  for (const name of left) {
    call.output.warn({ message: `${name} leads to where it was, and can't be rewritten.`, hint: 'Change it in the file itself.' })
  }
  return { rewritten, left: [...left] }
}
