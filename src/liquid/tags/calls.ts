import {
  type Emitter,
  evalToken,
  type Liquid,
  type Context as LiquidContext,
  Tag,
  type TagToken,
  type Token,
  Tokenizer,
  type TopLevelToken,
} from 'liquidjs'
import type { Compile } from '../node.ts'

/** Makes the text of a tag of its arguments: a text is escaped, HTML is not. */
export type Call = (...args: readonly unknown[]) => string | { readonly html: string }

/** A tag that is a call with arguments: `{% name a, b %}`. */
export abstract class CallTag extends Tag {
  readonly args: readonly Token[]
  abstract readonly call: Call

  constructor(token: TagToken, rest: TopLevelToken[], liquid: Liquid) {
    super(token, rest, liquid)
    this.args = argumentsOf(token, liquid)
  }

  *render(context: LiquidContext, emitter: Emitter): Generator<unknown, void, unknown> {
    const values: unknown[] = []
    for (const arg of this.args) values.push(yield evalToken(arg, context))
    const text = textOf(this.call(...values))
    context.memoryLimit.use(text.length)
    emitter.write(text)
  }
}

/** Returns the class of the tag that makes a call. */
export function callTagOf(call: Call): new (token: TagToken, rest: TopLevelToken[], liquid: Liquid) => CallTag {
  return class extends CallTag {
    readonly call = call
  }
}

export const callTag: Compile<CallTag> = ({ args, call }, compiler) => {
  const reads = args.map((arg) => compiler.token(arg))
  return (context, out) => {
    const text = textOf(call(...reads.map((read) => read(context))))
    context.memoryLimit.use(text.length)
    out.write(text)
  }
}

function argumentsOf(token: TagToken, liquid: Liquid): Token[] {
  const tokenizer = new Tokenizer(token.args, liquid.options.operators, token.file)
  const args: Token[] = []
  for (;;) {
    tokenizer.skipBlank()
    if (tokenizer.peek() === ',') tokenizer.p++
    const value = tokenizer.readValue()
    if (!value) break
    args.push(value)
  }
  tokenizer.skipBlank()
  if (!tokenizer.end()) throw new Error(`"${tokenizer.remaining().trim()}" is no value for the tag "${token.name}"`)
  return args
}

function textOf(made: ReturnType<Call>): string {
  return typeof made === 'string' ? escaped(made) : made.html
}

/** As output is escaped. */
function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
