import {
  AssignTag,
  BlockTag,
  BreakTag,
  CaptureTag,
  CaseTag,
  CommentTag,
  ContinueTag,
  CycleTag,
  DecrementTag,
  EchoTag,
  ForTag,
  type Hash,
  IfTag,
  IncludeTag,
  IncrementTag,
  InlineCommentTag,
  LayoutTag,
  type Liquid,
  LiquidTag,
  Output,
  RawTag,
  RenderTag,
  TablerowTag,
  type Template,
  type Token,
  TypeGuards,
  toValue,
  UnlessTag,
  type Value,
} from 'liquidjs'
import { GIVE_UP } from './budget.ts'
import { type Compile, type Compiler, type Context, forLiquid, type Read, type Run } from './node.ts'
import { Out } from './out.ts'
import { caseTag, ifTag, unlessTag } from './tags/branches.ts'
import { CallTag, callTag } from './tags/calls.ts'
import { blockTag, layoutTag } from './tags/layouts.ts'
import { breakTag, continueTag, forTag } from './tags/loops.ts'
import { includeTag, renderTag } from './tags/partials.ts'
import { tablerowTag } from './tags/tables.ts'
import { assignTag, captureTag } from './tags/variables.ts'
import { tokenReader, valueReader } from './values.ts'

const liquidTag: Compile<LiquidTag> = (tag, compiler) => compiler.list((tag as unknown as { templates: Template[] }).templates)

/** A tag of which LiquidJS knows the text before it renders anything. */
const fixed: Compile<RawTag | CommentTag | InlineCommentTag> = (tag) => {
  return printing(String((tag.render as () => unknown).call(tag) ?? ''))
}

/** A node that LiquidJS renders itself: what its generators ask for is done at once. */
const byLiquid: Compile<Template> = (node) => (context, out) => {
  const text = context.memoryLimit.settled(node.render(forLiquid(context), out))
  if (text) out.write(text)
}

/** The tags by their classes. Others may do what is not to be done twice: a template that has one is rendered by LiquidJS. */
const TAGS = new Map<unknown, Compile<never>>([
  [AssignTag, assignTag],
  [BlockTag, blockTag],
  [BreakTag, breakTag],
  [CaptureTag, captureTag],
  [CaseTag, caseTag],
  [CommentTag, fixed],
  [ContinueTag, continueTag],
  [CycleTag, byLiquid],
  [DecrementTag, byLiquid],
  [EchoTag, byLiquid],
  [ForTag, forTag],
  [IfTag, ifTag],
  [IncludeTag, includeTag],
  [IncrementTag, byLiquid],
  [InlineCommentTag, fixed],
  [LayoutTag, layoutTag],
  [LiquidTag, liquidTag],
  [RawTag, fixed],
  [RenderTag, renderTag],
  [TablerowTag, tablerowTag],
  [UnlessTag, unlessTag],
])

/** Makes closures of what LiquidJS has parsed. Lists are compiled when they are first run, and once. */
export class ClosureCompiler implements Compiler {
  readonly liquid: Liquid
  readonly #lists = new WeakMap<readonly Template[], Run>()

  constructor(liquid: Liquid) {
    this.liquid = liquid
  }

  list(templates: readonly Template[]): Run {
    const known = this.#lists.get(templates)
    if (known) return known
    let nodes: readonly Run[] | undefined
    const run: Run = (context, out) => {
      context.memoryLimit.enter(out.buffer)
      nodes ??= templates.map((node) => this.#node(node))
      for (const node of nodes) {
        node(context, out)
        if (context.breakCalled || context.continueCalled) break
      }
      context.memoryLimit.leave()
    }
    this.#lists.set(templates, run)
    return run
  }

  text(templates: readonly Template[]): (context: Context) => string {
    const run = this.list(templates)
    return (context) => {
      const out = new Out()
      run(context, out)
      return out.buffer
    }
  }

  value(value: Value): Read {
    return valueReader(value, this)
  }

  token(token: Token | undefined): Read {
    return tokenReader(token, this)
  }

  hash({ hash }: Hash): (context: Context) => Record<string, unknown> {
    const reads = Object.keys(hash).map((name): [string, Read] => [
      name,
      hash[name] === undefined ? () => true : this.token(hash[name]),
    ])
    return (context) => {
      const values: Record<string, unknown> = {}
      for (const [name, read] of reads) values[name] = read(context)
      return values
    }
  }

  #node(node: Template): Run {
    if (TypeGuards.isHTMLToken(node.token)) return printing(node.token.getContent())
    if (node instanceof Output) return this.#output(node)
    if (node instanceof CallTag) return callTag(node, this)
    const compile = TAGS.get(node.constructor)
    return compile ? compile(node as never, this) : giveUp
  }

  #output({ value }: Output): Run {
    const read = this.value(value)
    return (context, out) => {
      const printed = read(context)
      if (typeof printed === 'string') out.buffer += printed
      else out.write(context.memoryLimit.settled(toValue(printed)))
    }
  }
}

function printing(text: string): Run {
  return (_, out) => {
    out.buffer += text
  }
}

function giveUp(): never {
  throw GIVE_UP
}
