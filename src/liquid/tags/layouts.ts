import { type BlockTag, Drop, type Hash, type LayoutTag } from 'liquidjs'
import { type Compile, type Context, type FileName, type Run, scopeOf } from '../node.ts'
import { Out } from '../out.ts'
import { otherTemplate, type Parse } from './partials.ts'

/** The values of the register `blockMode`: blocks are printed where they stand, or kept for the layout. */
const PRINTED = 0
const KEPT = 1

/** A block that a template has for its layout. Those of LiquidJS are generators. */
type Block = (parent: Drop, out: Out) => unknown

interface ParsedLayout {
  readonly file?: FileName
  readonly currentFile?: string
  readonly args: Hash
}

/** The variable `block`, with the block that this one takes the place of. */
class Parent extends Drop {
  readonly superBlockRender: (out: Out) => unknown
  readonly #context: Context

  constructor(context: Context, render: (out: Out) => unknown = () => '') {
    super()
    this.superBlockRender = render
    this.#context = context
  }

  super(): string {
    const out = new Out()
    this.#context.memoryLimit.settled(this.superBlockRender(out))
    return out.buffer
  }
}

export const layoutTag: Compile<LayoutTag> = (tag, compiler) => {
  const { args, ...naming } = tag as unknown as ParsedLayout
  const { liquid } = compiler
  const own = compiler.list(tag.templates)
  if (naming.file === undefined) {
    return (context, out) => {
      context.setRegister('blockMode', PRINTED)
      own(context, out)
    }
  }
  const other = otherTemplate(naming, liquid._parseLayoutFile.bind(liquid) as Parse, compiler)
  const hash = compiler.hash(args)
  return (context, out) => {
    const { run } = other(context)
    context.setRegister('blockMode', KEPT)
    const rest = new Out()
    own(context, rest)
    const blocks = blocksOf(context)
    blocks[''] ??= (_, into) => into.write(rest.buffer)
    context.setRegister('blockMode', PRINTED)
    context.push(scopeOf(hash(context)))
    run(context, out)
    context.pop()
  }
}

export const blockTag: Compile<BlockTag> = (tag, compiler) => {
  const run = compiler.list(tag.templates)
  return (context, out) => {
    const block = blockOf(tag, run, context)
    if (context.getRegister('blockMode') === KEPT) blocksOf(context)[tag.block] = block
    else context.memoryLimit.settled(block(new Parent(context), out))
  }
}

/** The block as it is to be printed: by the one of the template that has this layout, if there is one. */
function blockOf(tag: BlockTag, run: Run, context: Context): Block {
  const kept = blocksOf(context)[tag.block]
  const own: Block = (parent, out) => {
    const stack = context.getRegister('blockStack', []) as BlockTag[]
    if (stack.includes(tag)) throw new Error('block tag cannot be nested')
    stack.push(tag)
    context.push(scopeOf({ block: parent }))
    run(context, out)
    context.pop()
    stack.pop()
  }
  return kept ? (parent, out) => kept(new Parent(context, (into) => own(parent, into)), out) : own
}

function blocksOf(context: Context): Record<string, Block> {
  return context.getRegister('blocks', {}) as Record<string, Block>
}
