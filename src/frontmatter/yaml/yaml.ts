import { isMap, isPair, isScalar, parseDocument, type Document as Tree, visit } from 'yaml'
import type { Fields } from '#lib/json.ts'
import { duplicateKey, Fault, tooDeep, UNSAFE_KEYS, unsafeKey } from '../fault.ts'
import { tooDeepAt } from '../nesting.ts'
import { refuseSlow } from './bounds.ts'
import { valuesOf } from './values.ts'

/** In place of the words of yaml, which are for programmers. */
const SECOND_DOCUMENT = 'A second document of YAML begins here.'

/** Parses YAML 1.2 (core schema, merge keys); throws Fault for whatever is in error or not allowed. */
export function parseTree(text: string): Tree {
  refuseSlow(text)
  const deep = tooDeepAt(text)
  if (deep >= 0) throw tooDeep(deep)
  const tree = parseDocument(text, {
    version: '1.2',
    schema: 'core',
    merge: true,
    stringKeys: true,
    resolveKnownTags: false,
    // Compares each key with each other: found here in one pass instead.
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'error',
    keepSourceTokens: true,
  })
  // A tag that is not known is only a warning to yaml.
  const error = tree.errors[0] ?? tree.warnings[0]
  if (error?.code === 'MULTIPLE_DOCS') throw new Fault(SECOND_DOCUMENT, error.pos[0], hintFor(error.code))
  if (error) throw new Fault(sentence(error.message), error.pos[0], hintFor(error.code))
  checkKeys(tree)
  return tree
}

/** Returns the mapping in the text, or {} if there is nothing. Throws Fault for anything else. */
export function treeData(tree: Tree): Fields {
  if (tree.contents === null || (isScalar(tree.contents) && tree.contents.value === null)) return {}
  if (!isMap(tree.contents)) {
    throw new Fault('This is not a list of keys and values.', tree.contents.range?.[0] ?? 0, 'Write each as `key: value`.')
  }
  return valuesOf(tree) as Fields
}

/** Reads YAML front matter by the whole parser; throws Fault. */
export function readYaml(text: string): Fields {
  return treeData(parseTree(text))
}

function checkKeys(tree: Tree): void {
  visit(tree, {
    Map(_, map) {
      const seen = new Set<string>()
      for (const pair of map.items) {
        if (!isPair(pair) || !isScalar(pair.key)) continue
        const key = String(pair.key.value)
        const at = pair.key.range?.[0] ?? 0
        if (UNSAFE_KEYS.has(key)) throw unsafeKey(key, at)
        if (seen.has(key)) throw duplicateKey(key, at)
        seen.add(key)
      }
    },
  })
}

function sentence(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`
}

function hintFor(code: string): string {
  if (code === 'TAG_RESOLVE_FAILED') return 'Remove the tag, or quote the value.'
  if (code === 'MULTIPLE_DOCS') return 'Front matter is one document, and ends with a line of `---`: `...` does not end it.'
  if (code === 'TAB_AS_INDENT') return 'Indent with spaces.'
  if (code === 'BLOCK_AS_IMPLICIT_KEY' || code === 'MULTILINE_IMPLICIT_KEY') return 'Quote a value that has ": " in it.'
  if (code === 'MISSING_CHAR') return 'Close the quote or bracket.'
  if (code === 'BAD_ALIAS') return 'Quote a value that begins with *.'
  return 'Quote the value, or mend the indentation.'
}
