import { syncBuiltinESMExports } from 'node:module'

/**
 * Has all code of this process find other functions in one of Node's modules (its default export) until the test ends: what a
 * disk or a system that fails is shown by. What is put in their place finds the true ones in what it kept of the module before.
 */
export function replaceIn(t: { teardown(work: () => void): unknown }, module: object, functions: object): void {
  const before = Object.fromEntries(Object.entries(module).filter(([name]) => name in functions))
  const put = (these: object) => {
    Object.assign(module, these)
    syncBuiltinESMExports()
  }
  put(functions)
  t.teardown(() => put(before))
}
