import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The hooks that take types out, for a test that runs as it is written. */
const STRIP = new URL('../tools/strip.js', import.meta.url).href

/**
 * The command that runs a script of the tests in a process of its own, by its address without an extension: as TypeScript, or in
 * the mirror as JavaScript.
 */
export function program(address: URL): string[] {
  const extension = extname(import.meta.url)
  const script = `${fileURLToPath(address)}${extension}`
  return extension === '.ts' ? [process.execPath, `--import=${STRIP}`, script] : [process.execPath, script]
}
