import type { Hash, TablerowTag } from 'liquidjs'
import { type Compile, scopeOf } from '../node.ts'
import { ForLoop, listOf } from './loops.ts'

interface ParsedTablerow {
  readonly variable: string
  readonly args: Hash
}

/** Arguments as LiquidJS reckons with them: they may be anything. */
interface Arguments {
  readonly offset?: number
  readonly limit?: number
  readonly cols?: number
}

/** The variable `tablerowloop`. */
class TablerowLoop extends ForLoop {
  readonly cols: number

  constructor(length: number, cols: number, collection: string, variable: string) {
    super(length, collection, variable)
    this.cols = cols
  }

  row(): number {
    return Math.floor(this.i / this.cols) + 1
  }

  col0(): number {
    return this.i % this.cols
  }

  col(): number {
    return this.col0() + 1
  }

  col_first(): boolean {
    return this.col0() === 0
  }

  col_last(): boolean {
    return this.col() === this.cols
  }
}

export const tablerowTag: Compile<TablerowTag> = (tag, compiler) => {
  const { variable, args } = tag as unknown as ParsedTablerow
  const read = compiler.token(tag.collection)
  const label = tag.collection.getText()
  const hash = compiler.hash(args)
  const each = compiler.list(tag.templates)
  return (context, out) => {
    const all = listOf(read(context))
    const { offset, limit, cols } = hash(context) as Arguments
    const from = offset || 0
    const most = limit === undefined ? all.length : limit
    const items = all.slice(from, from + most)
    const loop = new TablerowLoop(items.length, cols || items.length, label, variable)
    const scope = scopeOf({ tablerowloop: loop })
    context.push(scope)
    for (const item of items) {
      scope[variable] = item
      if (loop.col0() === 0) out.write(`${loop.row() === 1 ? '' : '</tr>'}<tr class="row${loop.row()}">`)
      out.write(`<td class="col${loop.col()}">`)
      each(context, out)
      out.write('</td>')
      loop.next()
    }
    if (items.length > 0) out.write('</tr>')
    context.pop()
  }
}
