import { basename } from 'node:path'
import { shownPath } from './output.ts'

/**
 * Returns the command that runs this program from the working folder: `cms` if it is installed, `node bin/cms.js` in a checkout.
 */
export function invocation(script: string | undefined = process.argv[1]): string {
  return script === undefined || basename(script) !== 'cms.js' ? 'cms' : `node ${quoted(shownPath(script))}`
}

function quoted(path: string): string {
  return /^[\w./:\\-]+$/.test(path) ? path : `"${path}"`
}
