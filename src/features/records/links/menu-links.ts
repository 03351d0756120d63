import { isMap, isScalar, isSeq, type Scalar } from 'yaml'
import type { Document } from '#core/document.ts'
import { type Key, keyText } from '#core/key.ts'
import type { Change } from '#core/store.ts'
import { parseTree, readYaml } from '#frontmatter/yaml/yaml.ts'
import { type Splice, spliced } from '#lib/text/spliced.ts'

/** The changes to apply to menu items: the new id of a record, and the new form of an address (undefined: it stays). */
export interface MenuTargets {
  /** The key of a record that gets another one; absent where none does. */
  readonly from?: Key | undefined
  readonly to?: Key | undefined
  address(url: string): string | undefined
}

const DEEPEST = 32

/**
 * A change of a menu so that its items lead where they led to; undefined where none has to, null where its file is not of a kind
 * that can be changed so.
 */
export function menuChange(menu: Document, targets: MenuTargets): Change | null | undefined {
  const source = menu.source?.toString('utf8')
  if (source === undefined || menu.problem?.severity === 'error') return undefined
  try {
    const edits = editsOf(source, targets)
    if (edits.length === 0) return undefined
    const made = spliced(source, edits)
    // What is not seen as it was meant is not written.
    if (editsOf(made, targets).length > 0 || countItems(readYaml(made).items) !== countItems(readYaml(source).items)) return null
    return { key: menu.key, put: { source: Buffer.from(made) }, expects: menu.version }
  } catch {
    return null
  }
}

function editsOf(source: string, targets: MenuTargets): Splice[] {
  const edits: Splice[] = []
  const root = parseTree(source).contents
  if (isMap(root)) gather(root.get('items', true), targets, edits, 0)
  return edits.sort((a, b) => a.start - b.start)
}

function gather(items: unknown, targets: MenuTargets, edits: Splice[], depth: number): void {
  if (!isSeq(items) || depth > DEEPEST) return
  for (const item of items.items) {
    if (!isMap(item)) continue
    const record = item.get('record', true)
    const id = isMap(record) ? record.get('id', true) : undefined
    const { from, to } = targets
    const isIts = from && isMap(record) && `${record.get('type')}/${record.get('id')}` === keyText(from)
    if (isIts && to && from.id !== to.id) put(id, to.id, edits)
    const url = item.get('url', true)
    const address = isScalar(url) && typeof url.value === 'string' ? targets.address(url.value) : undefined
    if (address !== undefined) put(url, address, edits)
    gather(item.get('children', true), targets, edits, depth + 1)
  }
}

function put(node: unknown, value: string, edits: Splice[]): void {
  if (!isScalar(node) || !node.range) return
  const [start, end] = node.range
  edits.push({ start, end, text: written(node, value) })
}

/** A value in the quotes of the one it is put in place of, where it can be. */
function written({ type }: Scalar, value: string): string {
  if (type === 'QUOTE_SINGLE') return `'${value.replaceAll("'", "''")}'`
  return type === 'PLAIN' && /^[a-z/][\w/.~%-]*$/i.test(value) && !/^(?:true|false|null|y|n|yes|no|on|off)$/i.test(value)
    ? value
    : JSON.stringify(value)
}

function countItems(items: unknown): number {
  if (!Array.isArray(items)) return 0
  return items.reduce((n: number, item) => n + 1 + countItems((item as { children?: unknown } | null)?.children), 0)
}
