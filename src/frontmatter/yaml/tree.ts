import { setImmediate } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { isAlias, isMap, isSeq, visit, type YAMLMap, type YAMLSeq } from 'yaml'
import { Slices } from '#lib/concurrency/slices.ts'
import { Conflict } from '#lib/errors.ts'
import type { Fields, Json } from '#lib/json.ts'
import { isObject } from '../changes.ts'
import { Fault } from '../fault.ts'
import { columnOf, ended, lineStart, valueLineEnd } from '../lines.ts'
import { type Branch, entryAfter, entryAt, isFilled, type Keys, treeAfter } from './branches.ts'
import { type Extent, endOf, extentOf, isBlock, OtherForm, remarksOf, shifted, startOf } from './entry-lines.ts'
import { slotOf } from './find.ts'
import { readQuick } from './quick.ts'
import { spliceYaml } from './splice.ts'
import { itemLines, keyText, NEW_LOOK } from './text.ts'
import { parseTree, readYaml } from './yaml.ts'

/**
 * Rewrites a list whose entries have lists below them: an entry that stays, or stands elsewhere then, keeps its lines with their
 * remarks, its order of keys and its quotes. `data` is what the text holds. Undefined where the text has not the form for that;
 * what is returned was read again. Works in slices.
 */
export async function spliceTree(text: string, data: Readonly<Fields>, keys: Keys, branches: readonly Branch[], eol: string) {
  try {
    const made = await new TreeText(text, data, keys, eol).with(branches)
    await setImmediate()
    return isDeepStrictEqual(readQuick(made) ?? readYaml(made), treeAfter(data, keys, branches)) ? made : undefined
  } catch (error) {
    if (error instanceof OtherForm || error instanceof Fault || error instanceof Conflict) return undefined
    throw error
  }
}

/** The lines of an entry, and where its dash stands. */
interface Lines {
  readonly text: string
  readonly column: number
}

class TreeText {
  readonly #text: string
  readonly #data: Readonly<Fields>
  readonly #keys: Keys
  readonly #eol: string
  readonly #root: YAMLSeq
  readonly #dash: number
  readonly #slices = new Slices()

  constructor(text: string, data: Readonly<Fields>, keys: Keys, eol: string) {
    this.#text = text
    this.#data = data
    this.#keys = keys
    this.#eol = eol
    const tree = parseTree(text)
    const root = isMap(tree.contents) ? tree.contents.get(keys.list, true) : undefined
    if (!isBlock(root)) throw new OtherForm()
    visit(tree, {
      Node(_, node) {
        if (isAlias(node)) throw new OtherForm()
      },
    })
    this.#root = root
    this.#dash = columnOf(text, startOf(root))
  }

  async with(branches: readonly Branch[]): Promise<string> {
    if (branches.length === 0) throw new OtherForm()
    const [text, root] = [this.#text, this.#root]
    const start = lineStart(text, startOf(root))
    const end = endOf(text, root)
    await setImmediate()
    const lists = await this.#list(branches, this.#dash)
    const isEnded = end < text.length || text.endsWith('\n')
    return text.slice(0, start) + (isEnded ? lists : lists.replace(/\r?\n$/, '')) + text.slice(end)
  }

  async #list(branches: readonly Branch[], column: number): Promise<string> {
    const made: string[] = []
    for (const branch of branches) {
      if (this.#slices.isOver) await this.#slices.pause()
      const lines = await this.#entry(branch, column)
      made.push(lines.column === column ? lines.text : shifted(lines.text, column - lines.column))
    }
    return made.join('')
  }

  async #entry(branch: Branch, column: number): Promise<Lines> {
    const { from } = branch
    if (!from) return { text: await this.#new(branch, column), column }
    const seq = this.#seqAt(from)
    const index = from.at(-1) ?? 0
    const at = extentOf(this.#text, seq, index)
    const own = columnOf(this.#text, startOf(seq))
    if (this.#isSame(branch, from)) return { text: ended(this.#text.slice(at.start, at.end), this.#eol), column: own }
    const map = seq.items[index]
    if (!isMap(map)) throw new OtherForm()
    if (map.flow) return { text: (await this.#opened(branch, map, at, own)) ?? this.#flow(branch, map, at), column: own }
    return { text: await this.#block(branch, map, at), column: own }
  }

  /** A new entry; what stands elsewhere now and is to be below it has its lines there. */
  async #new(branch: Branch, column: number): Promise<string> {
    const { [this.#keys.below]: list, ...own } = entryAfter(this.#data, this.#keys, branch) as Fields
    if (Object.keys(own).length === 0) throw new OtherForm()
    const lines = itemLines(own, column, { ...NEW_LOOK, dash: this.#dash }).map((line) => line + this.#eol)
    const head = `${' '.repeat(column + 2)}${keyText(this.#keys.below)}:${this.#eol}`
    return lines.join('') + (await this.#below(branch, column + 2, list, head))
  }

  /** An entry over several lines: its own ones, with those of the list below it where they stand, or behind them. */
  async #block(branch: Branch, map: YAMLMap, { start, end }: { start: number; end: number }): Promise<string> {
    const text = this.#text
    const { below } = this.#keys
    const place = map.items.findIndex(({ key }) => String(key) === below)
    const slot = place < 0 ? undefined : slotOf(map, place)
    const first = slotOf(map, 0)
    if (!first || place === 0) throw new OtherForm()
    const column = columnOf(text, first.start)
    const pad = ' '.repeat(column)
    const data = entryAt(this.#data[this.#keys.list], below, branch.from)
    if (!isObject(data)) throw new OtherForm()
    const { [below]: _, ...old } = data
    const { [below]: list, ...made } = entryAfter(this.#data, this.#keys, branch) as Fields
    if (!slot) {
      const own = this.#ownLines(ended(text.slice(start, end), this.#eol), old, made, pad)
      return own + (await this.#below(branch, column, list, `${pad}${keyText(below)}:${this.#eol}`))
    }
    const from = lineStart(text, slot.start)
    const to = valueLineEnd(text, Math.max(slot.valueEnd, slot.start))
    const lists = isBlock(slot.node) ? text.slice(from, lineStart(text, startOf(slot.node))) : undefined
    if (slot.node && !isBlock(slot.node) && isFilled(data[below])) throw new OtherForm()
    const head = lists ?? `${pad}${keyText(below)}:${this.#eol}`
    const left = lists === undefined ? ended(text.slice(from, to), this.#eol) : remarksOf(lists, pad, this.#eol)
    const kept = isFilled(list) ? await this.#below(branch, column, list, head) : left
    const rest = text.slice(to, end)
    if (rest.trim() === '') return this.#ownLines(text.slice(start, from), old, made, pad) + kept + rest
    const mark = `${pad}${keyText(below)}: ~${this.#eol}`
    const own = this.#ownLines(
      ended(text.slice(start, from) + mark + rest, this.#eol),
      { ...old, [below]: null },
      { ...made, [below]: null },
      pad,
    )
    const at = own.indexOf(mark)
    return own.slice(0, at) + kept + own.slice(at + mark.length)
  }

  async #below(branch: Branch, column: number, list: Json | undefined, head: string): Promise<string> {
    if (!isFilled(list)) return ''
    const first = branch.below.find(({ from }) => from && branch.from && isBelow(from, branch.from))?.from
    const dash = first ? columnOf(this.#text, startOf(this.#seqAt(first))) : column + this.#dash
    return head + (await this.#list(branch.below, dash))
  }

  /** The lines of an entry alone, with other keys. That it gets one more, as an id is, needs no look at all of them. */
  #ownLines(lines: string, old: Fields, made: Fields, pad: string): string {
    const [key, value] = wordMore(old, made) ?? []
    if (key !== undefined && !/[|>][-+\d]*[ \t]*(?:#.*)?\r?\n/.test(lines))
      return `${ended(lines, this.#eol)}${pad}${keyText(key)}: ${value}${this.#eol}`
    return this.#spliced(lines, old, made)
  }

  /**
   * An entry in braces, on lines of its own, since others with remarks get below it: in braces these would be lost. Undefined where
   * that is not so, or it has a list already.
   */
  async #opened(branch: Branch, map: YAMLMap, { start, end }: Extent, column: number): Promise<string | undefined> {
    const [text, [from = 0, to = 0]] = [this.#text, map.range ?? []]
    const { [this.#keys.below]: list, ...own } = entryAfter(this.#data, this.#keys, branch) as Fields
    const isPlain = !map.has(this.#keys.below) && !text.slice(from, to).includes('\n')
    if (!isPlain || !this.#areLines(branch.below) || !this.#areRemarked(branch.below)) return undefined
    const [first = '', ...others] = itemLines(own, column, { ...NEW_LOOK, dash: this.#dash })
    const lines = [first + text.slice(to, end).trimEnd(), ...others].map((line) => line + this.#eol).join('')
    const head = `${' '.repeat(column + 2)}${keyText(this.#keys.below)}:${this.#eol}`
    return text.slice(start, lineStart(text, from)) + lines + (await this.#below(branch, column + 2, list, head))
  }

  #areLines(branches: readonly Branch[]): boolean {
    return branches.every(({ from, below }) => (!from || isBlock(this.#listAt(from))) && this.#areLines(below))
  }

  #areRemarked(branches: readonly Branch[]): boolean {
    return branches.some(({ from, below }) => {
      const { start = 0, end = 0 } = from ? extentOf(this.#text, this.#seqAt(from), from.at(-1) ?? 0) : {}
      return this.#text.slice(start, end).includes('#') || this.#areRemarked(below)
    })
  }

  /** An entry in braces, with all that is below it. */
  #flow(branch: Branch, map: YAMLMap, { start, end }: { start: number; end: number }): string {
    const old = entryAt(this.#data[this.#keys.list], this.#keys.below, branch.from)
    const made = entryAfter(this.#data, this.#keys, branch)
    if (!isObject(old) || !isObject(made)) throw new OtherForm()
    const [key, value] = wordMore(old, made) ?? []
    const last = slotOf(map, map.items.length - 1)
    const text = this.#text
    if (key === undefined || !last) return this.#spliced(ended(text.slice(start, end), this.#eol), old, made)
    const at = Math.max(last.valueEnd, last.start)
    return ended(`${text.slice(start, at)}, ${keyText(key)}: ${value}${text.slice(at, end)}`, this.#eol)
  }

  #spliced(lines: string, old: Fields, made: Fields): string {
    if (isDeepStrictEqual(old, made)) return lines
    const head = `x:${this.#eol}`
    return ended(spliceYaml(head + lines, { x: [old] }, 'x', [made], this.#eol).slice(head.length), this.#eol)
  }

  #isSame({ set, below }: Branch, from: readonly number[]): boolean {
    const data = entryAt(this.#data[this.#keys.list], this.#keys.below, from)
    const list = isObject(data) ? data[this.#keys.below] : undefined
    const count = Array.isArray(list) ? list.length : 0
    if (Object.keys(set).length > 0 || below.length !== count) return false
    return below.every((one, n) => {
      const place = [...from, n]
      return one.from !== undefined && isDeepStrictEqual([...one.from], place) && this.#isSame(one, place)
    })
  }

  #seqAt(from: readonly number[]): YAMLSeq {
    const seq = this.#listAt(from)
    if (!isBlock(seq)) throw new OtherForm()
    return seq
  }

  #listAt(from: readonly number[]): unknown {
    let seq: unknown = this.#root
    for (const place of from.slice(0, -1)) {
      const map = isSeq(seq) ? seq.items[place] : undefined
      seq = isMap(map) ? map.get(this.#keys.below, true) : undefined
    }
    return seq
  }
}

/** The key and the value that an entry has more than before, where that is all and the value is a plain word, as ids are. */
function wordMore(old: Fields, made: Fields): [string, string] | undefined {
  const names = Object.keys(made).filter((key) => !isDeepStrictEqual(made[key], old[key]))
  const [key] = names
  const value = key === undefined ? undefined : made[key]
  const isMore = names.length === 1 && key !== undefined && !(key in old) && Object.keys(old).every((one) => one in made)
  return isMore && typeof value === 'string' && /^[a-z]{8}$/.test(value) ? [key, value] : undefined
}

function isBelow(from: readonly number[], parent: readonly number[]): boolean {
  return from.length === parent.length + 1 && parent.every((place, n) => from[n] === place)
}
