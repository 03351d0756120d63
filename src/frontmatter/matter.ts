import { createRequire } from 'node:module'
import type grayMatter from 'gray-matter'
import type { Fields } from '#lib/json.ts'
import { Fault } from './fault.ts'
import { HOW_TO_BEGIN, LANGUAGE_NAMES, LANGUAGES, type Language } from './languages.ts'

const require = createRequire(import.meta.url)

/** A language that would be run, not read. */
const refuse = () => {
  throw new Fault('Front matter is data: code in it is never run.', 0, HOW_TO_BEGIN)
}

/**
 * Front matter by gray-matter, for what the fast path leaves over. It only reads: which engine a language has is ours, the ones that run
 * code throw, and options are always given because without them it caches what it returns. Throws Fault.
 */
export function readMatter(text: string, language: Language): Fields {
  // Most sites never come here, and loading it costs a start 20 ms.
  const matter: typeof grayMatter = require('gray-matter')
  const fence = LANGUAGES[language].close
  const shown = withoutRuns(text)
  if (`\n${shown}`.includes(`\n${fence}`)) throw cut(text, fence)
  const { data } = matter(`${fence}\n${shown}\n${fence}\n`, {
    language,
    delimiters: fence,
    engines: {
      ...Object.fromEntries(LANGUAGE_NAMES.map((name) => [name, () => LANGUAGES[name].read(text)])),
      javascript: refuse,
      js: refuse,
      coffee: refuse,
      coffeescript: refuse,
      cson: refuse,
    },
  })
  return data as Fields
}

/** Of a run of blank lines, or of Unicode's signs for line ends, gray-matter looks through all of the rest at each. */
function withoutRuns(text: string): string {
  return text
    .replace(/[\u2028\u2029]/g, '_')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .join('\n')
}

/** gray-matter ends front matter at any line that only begins with the fence; half of it, or none, must not pass for the whole. */
function cut(text: string, fence: string): Fault {
  const at = text.startsWith(fence) ? 0 : text.indexOf(`\n${fence}`) + 1
  return new Fault(`A line of the front matter begins with ${fence}.`, at, 'Indent or quote that line.')
}
