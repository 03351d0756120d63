import { isMap, isPair, isScalar, parseDocument, type Document as Tree, visit } from 'yaml'
import type { Fields } from '../json.ts'
import { duplicateKey, Fault, tooDeep, UNSAFE_KEYS, unsafeKey } from './fault.ts'
import { tooDeepAt } from './nesting.ts'
import { valuesOf } from './yaml-values.ts'

/** At each line of spaces after a value `yaml` looks through all that follow. */
const MOST_BLANK = 1000

/** Parses YAML 1.2 (core schema, merge keys); throws Fault for whatever is in error or not allowed. */
export function parseTree(text: string): Tree {
  const blank = blankLinesAt(text)
  if (blank >= 0) throw new Fault(`There are over ${MOST_BLANK} lines of spaces here.`, blank, 'Remove them.')
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
  if (error) throw new Fault(sentence(error.message), error.pos[0], hintFor(error.code))
  checkKeys(tree)
  return tree
}

/** What the text holds: a mapping, or {} where there is nothing; throws Fault for anything else. */
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
  if (code === 'TAB_AS_INDENT') return 'Indent with spaces.'
  if (code === 'BLOCK_AS_IMPLICIT_KEY' || code === 'MULTILINE_IMPLICIT_KEY') return 'Quote a value that has ": " in it.'
  if (code === 'MISSING_CHAR') return 'Close the quote or bracket.'
  if (code === 'BAD_ALIAS') return 'Quote a value that begins with *.'
  return 'Quote the value, or mend the indentation.'
}

/** The offset of a line with more than MOST_BLANK lines of spaces before it, or -1. */
function blankLinesAt(text: string): number {
  let lines = 0
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at)
    const next = end < 0 ? text.length : end + 1
    let first = at
    while (first < next && (text.charCodeAt(first) === 32 || text.charCodeAt(first) === 9)) first++
    const isBlank = first === next - 1 || (text.charCodeAt(first) === 13 && first === next - 2)
    if (!isBlank) lines = 0
    else if (first > at && ++lines > MOST_BLANK) return at
    at = next
  }
  return -1
}
