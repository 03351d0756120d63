import { fileURLToPath, pathToFileURL } from 'node:url'
import { PlacedFailure } from '#lib/errors.ts'
import { MANIFEST_FILE } from '#packages/manifest.ts'
import { wordsOf } from '../module-log.ts'

/** A module that can't be loaded: a sentence, and a hint. */
export class Unloadable extends Error {
  readonly hint: string | undefined
  constructor(message: string, hint?: string) {
    super(message)
    this.hint = hint
  }
}

/** The place of a line in a stack, or at its beginning: `file:///…/index.js:3:14`. */
const PLACE = /(file:\/\/[^\s()]+?\.m?js):(\d+)(?::\d+)?/

/** Returns the reason why the code of a module was not loaded, `main` by name, with its place in the copy of it in `folder`. */
export function loadFault(error: unknown, folder: string, main: string): unknown {
  if (!(error instanceof Error) || error instanceof Unloadable) return error
  const words = wordsOf(error)
  const place = placeIn(folder, error)
  const [, missing] = /^Cannot find package '([^']+)'/.exec(words) ?? []
  if (missing !== undefined)
    return new Unloadable(
      `It imports "${missing}", and a site installs no packages.`,
      `Bundle it into what \`main\` of ${MANIFEST_FILE} names.`,
    )
  if (/ is not defined in ES module scope/.test(words))
    return new Unloadable(
      `It is no ES module${place}.`,
      'Write `import` and `export default`, not `require` and `module.exports`.',
    )
  const said = words.split('\n')[0]?.replaceAll(pathToFileURL(folder).href, '').replaceAll(folder, '').replace(/\.$/, '')
  // Node keeps the place of such an error to itself.
  if (error instanceof SyntaxError && place === '')
    return new Unloadable(`It is no JavaScript: ${said}.`, `\`node --check --input-type=module < ${main}\` shows the line.`)
  return new Unloadable(`${said}${place}.`)
}

/** Returns the words of an error, with its line in the manifest or the lock, where it names one. */
export function placedWords(error: unknown): string {
  const words = wordsOf(error)
  if (!(error instanceof PlacedFailure) || error.line === undefined) return words
  return `${words.replace(/\.$/, '')} (${error.file}:${error.line}).`
}

/** Returns ` (index.js:3)` of an error; nothing where it does not come from the module. */
function placeIn(folder: string, { stack }: Error): string {
  const root = `${folder}/`
  for (const line of String(stack).split('\n')) {
    const [, address = '', number] = PLACE.exec(line) ?? []
    const file = address && fileURLToPath(address).replaceAll('\\', '/')
    if (file.startsWith(root.replaceAll('\\', '/'))) return ` (${file.slice(root.length)}:${number})`
  }
  return ''
}
