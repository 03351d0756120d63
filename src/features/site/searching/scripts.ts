import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { LUNR_LANGUAGES, languageOf } from '#fulltext/analysis/language.ts'

const require = createRequire(import.meta.url)
const NOTE =
  '// Parts of Lunr (https://lunrjs.com, (C) Oliver Nightingale, MIT) and of lunr-languages as their authors published them, made one module.'
const STATE = /\bvar (\w+)=this;/g
/** Matches a comment in the parts of Lunr that are taken: none of their texts has its signs. */
const COMMENT = /\/\*[\s\S]*?\*\/|^[ \t]*\/\/.*$|[ \t]+\/\/ .*$/gm
const ENGLISH = ['stemmer', 'stopWordFilter']
/** Stands in for Lunr: it has what its parts call when they are loaded. */
const STAND_IN = 'const lunr = { Pipeline: { registerFunction() {} } }'

/**
 * The parts of Lunr that a browser needs for a locale, as an ES module: `language` ({ name, splits }); `lunr`, which has the stemmer
 * and the stop words of English where that is the language; `additions`, which take Lunr and add those of another.
 */
export function lunrModule(locale: string): Buffer {
  const { name, splits } = languageOf(locale)
  const files = LUNR_LANGUAGES.has(name) ? ['lunr.stemmer.support', `lunr.${name}`] : []
  const additions = files.map((file) => asExpression(sourceOf(`lunr-languages/min/${file}.min.js`)))
  return Buffer.from(`${NOTE}
${STAND_IN}
${name === 'en' ? partsOf(sourceOf('lunr/lunr.js'), ENGLISH) : ''}
export { lunr }
export const language = ${JSON.stringify({ name, splits })}
export const additions = [${additions.join(',')}]
`)
}

/** The modules that search in a browser, by their names: they stand beside Lunr and import it. */
export function browserModules(folder: string): ReadonlyMap<string, Buffer> {
  return new Map(['search.js', 'words.js'].map((name) => [name, readFileSync(join(folder, name))]))
}

/** The parts of Lunr's source of these names, each of which begins with a comment that says its own. */
function partsOf(source: string, names: readonly string[]): string {
  const parts = source.split(/^\/\*!$/m)
  const found = names.map((name) => parts.find((part) => part.startsWith(`\n * lunr.${name}\n`)) ?? '')
  return found.map((part) => `/*!${part}`.replace(COMMENT, '').replace(/\n\s*/g, '\n').trim()).join('\n')
}

function sourceOf(file: string): string {
  return readFileSync(require.resolve(file), 'utf8').trim()
}

/**
 * A script made for Node, as an expression of what it exports. Modules are strict: there `this` of a function called by its name
 * is nothing, and one language keeps its state in it.
 */
function asExpression(source: string): string {
  return `(() => {
const module = { exports: {} }, exports = module.exports, define = undefined
${source.replace(STATE, 'var $1={};')}
;return module.exports
})()`
}
