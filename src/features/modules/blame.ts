import { basename } from 'node:path'

/** The name of a module, and the folder of its code. */
export interface Blamable {
  readonly name: string
  readonly code?: string | undefined
}

/** Returns the module whose code is in a stack, by the innermost line that is of one. */
export function moduleIn(stack: unknown, modules: Iterable<Blamable>): string | undefined {
  if (typeof stack !== 'string') return undefined
  const found = [...modules].flatMap(({ name, code }) => {
    // The folder has a name of its own; what is above it may be written as a path or as an address.
    const at = code === undefined ? -1 : stack.indexOf(`/${basename(code)}/`)
    return at < 0 ? [] : [{ name, at }]
  })
  return found.sort((a, b) => a.at - b.at)[0]?.name
}
