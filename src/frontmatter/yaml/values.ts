import { isAlias, isMap, isPair, isScalar, isSeq, type Node, type Document as Tree, type YAMLMap } from 'yaml'
import type { Fields, Json } from '#lib/json.ts'
import { Fault, MAX_DEPTH, tooDeep } from '../fault.ts'
import { toJson } from '../to-json.ts'

/** The most values that aliases and merge keys may bring into one text: each alias counts what its anchor holds. */
const MOST_BROUGHT = 10_000
const MERGE_KEY = '<<'
const WRITE_OUT = 'Write the values out instead of using * aliases.'

/** A value under an anchor, and of how many values it is made. */
interface Anchored {
  readonly value: Json
  readonly size: number
}

/**
 * Returns the values of a parsed text as JSON, following aliases and merge keys (YAML 1.1 merge: explicit keys win, then earlier
 * sources). Takes time in proportion to the text and MOST_BROUGHT, while `toJS` of `yaml` searches all anchors for each alias.
 * Throws Fault for an alias to nothing, to a node that contains it, or to too much.
 */
export function valuesOf(tree: Tree): Json {
  return new Values().of(tree.contents as Node | null, 0)
}

class Values {
  readonly #anchors = new Map<string, Anchored | 'open'>()
  #made = 0
  #brought = 0

  of(node: unknown, depth: number): Json {
    if (depth > MAX_DEPTH) throw tooDeep(0)
    if (isAlias(node)) return this.#followed(node.source, node.range?.[0] ?? 0, depth)
    const anchor = isScalar(node) || isMap(node) || isSeq(node) ? node.anchor : undefined
    if (anchor === undefined) return this.#plain(node, depth)
    this.#anchors.set(anchor, 'open')
    const before = this.#made
    const value = this.#plain(node, depth)
    this.#anchors.set(anchor, { value, size: this.#made - before })
    return value
  }

  #plain(node: unknown, depth: number): Json {
    this.#made++
    if (isScalar(node)) return toJson(node.value, depth)
    if (isSeq(node)) return node.items.map((item) => this.of(item, depth + 1))
    return isMap(node) ? this.#map(node, depth) : null
  }

  #map(map: YAMLMap, depth: number): Fields {
    const fields: Fields = {}
    for (const pair of map.items) {
      if (!isPair(pair)) continue
      if (isMergeKey(pair.key)) {
        this.#merge(fields, pair.value, depth)
        continue
      }
      // A key may have an anchor of its own.
      const key = String(this.of(pair.key, depth))
      fields[key] = this.of(pair.value, depth + 1)
    }
    return fields
  }

  #merge(into: Fields, source: unknown, depth: number): void {
    const value = this.of(source, depth + 1)
    const at = (source as Node | null)?.range?.[0] ?? 0
    for (const part of Array.isArray(value) ? value : [value]) {
      if (part === null || typeof part !== 'object' || Array.isArray(part)) {
        throw new Fault('Merge sources must be maps or map aliases.', at, WRITE_OUT)
      }
      for (const [key, item] of Object.entries(part)) if (!Object.hasOwn(into, key)) into[key] = item
    }
  }

  #followed(source: string, at: number, depth: number): Json {
    const found = this.#anchors.get(source)
    if (found === undefined) {
      throw new Fault(`There is no anchor &${source} before this alias.`, at, 'Quote a value that begins with *.')
    }
    if (found === 'open') throw new Fault(`The alias *${source} stands in what it refers to.`, at, WRITE_OUT)
    this.#made += found.size
    this.#brought += found.size
    if (this.#brought > MOST_BROUGHT) throw new Fault('Aliases refer to too much.', at, WRITE_OUT)
    return toJson(found.value, depth)
  }
}

function isMergeKey(key: unknown): boolean {
  return isScalar(key) && key.value === MERGE_KEY && (key.type === undefined || key.type === 'PLAIN')
}
