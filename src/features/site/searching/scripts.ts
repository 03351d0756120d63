import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { LUNR_LANGUAGES, languageOf } from '#fulltext/analysis/language.ts'

const require = createRequire(import.meta.url)
const NOTE = '// Lunr and lunr-languages as their authors published them, made one module; each with its licence.'
const STATE = /\bvar (\w+)=this;/g

/**
 * Lunr as an ES module, and with it what it knows of the language of a locale: `lunr`, `language` ({ name, splits }), and
 * `additions`, which take Lunr and add to it.
 */
export function lunrModule(locale: string): Buffer {
  const { name, splits } = languageOf(locale)
  const files = LUNR_LANGUAGES.has(name) ? ['lunr.stemmer.support', `lunr.${name}`] : []
  const additions = files.map((file) => asExpression(sourceOf(`lunr-languages/min/${file}.min.js`)))
  return Buffer.from(`${NOTE}
export const lunr = ${asExpression(sourceOf('lunr/lunr.min.js'))}
export const language = ${JSON.stringify({ name, splits })}
export const additions = [${additions.join(',')}]
`)
}

/** The modules that search in a browser, by their names: they stand beside Lunr and import it. */
export function browserModules(folder: string): ReadonlyMap<string, Buffer> {
  return new Map(['search.js', 'words.js'].map((name) => [name, readFileSync(join(folder, name))]))
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
