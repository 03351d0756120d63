import { Drop, evalToken, filters, type PropertyAccessToken, type Token, TypeGuards, toValue, type Value } from 'liquidjs'
import { GIVE_UP } from './budget.ts'
import { type Compiler, type Context, forLiquid, type Read } from './node.ts'
import { expression } from './operators.ts'
import { textOf } from './out.ts'

/** A filter of a value as LiquidJS has parsed it. */
interface ParsedFilter {
  readonly handler: (this: object, ...values: unknown[]) => unknown
  readonly token: Token
  readonly liquid: object
  readonly args: readonly (Token | readonly [name: string, token: Token])[]
}

/** Compiles an expression with its filters. */
export function valueReader(value: Value, compiler: Compiler): Read {
  return value.filters.reduce(
    (read, filter) => filtered(filter as unknown as ParsedFilter, read, compiler),
    expression(value.initial, compiler),
  )
}

/** Compiles a constant or the path of a variable; everything else is LiquidJS's. */
export function tokenReader(token: Token | undefined, compiler: Compiler): Read {
  if (!token) return () => undefined
  if ('content' in token) {
    const { content } = token
    return () => content
  }
  if (TypeGuards.isPropertyAccessToken(token) && !token.variable) return pathReader(token, compiler)
  return (context) => context.memoryLimit.settled(evalToken(token, forLiquid(context)))
}

function pathReader(token: PropertyAccessToken, compiler: Compiler): Read {
  const names = token.props.map((prop) => ('content' in prop && typeof prop.content === 'string' ? prop.content : undefined))
  if (names.every((name) => name !== undefined)) return (context) => valueAt(names, context)
  const reads = token.props.map((prop) => compiler.token(prop))
  return (context) => {
    const path = reads.map((read) => context.memoryLimit.settled(toValue(read(context))))
    return valueAt(path, context)
  }
}

function valueAt(path: readonly unknown[], context: Context): unknown {
  let value = context.findScope(path[0])
  for (const key of path) {
    value = propertyOf(value, key, context)
    if (value === undefined && context.strictVariables) throw GIVE_UP
  }
  return value
}

/** A property as `readProperty` of LiquidJS finds it: at once where it is an object's own. */
function propertyOf(value: unknown, key: unknown, context: Context): unknown {
  if (isPlainObject(value) && typeof key === 'string' && !COUNTED.has(key) && Object.hasOwn(value, key)) {
    const found = value[key]
    if (found === null || (typeof found !== 'object' && typeof found !== 'function')) return found
    return context.memoryLimit.settled(typeof found === 'function' ? found.call(value) : found)
  }
  return context.memoryLimit.settled(context.readProperty(value, key))
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof Drop) return false
  return typeof (value as { readonly toLiquid?: unknown }).toLiquid !== 'function'
}

function filtered({ handler, token, liquid, args }: ParsedFilter, read: Read, compiler: Compiler): Read {
  if (handler === ESCAPE) return (context) => escaped(read(context), context)
  const others = args.map((arg) => argument(arg, compiler))
  return (context) => {
    const value = read(context)
    const given = others.map((other) => other(context))
    context.memoryLimit.step()
    return context.memoryLimit.settled(handler.call({ context, token, liquid }, value, ...given))
  }
}

function argument(arg: ParsedFilter['args'][number], compiler: Compiler): Read {
  if (!isNamed(arg)) return compiler.token(arg)
  const [name, token] = arg
  const read = compiler.token(token)
  return (context) => [name, read(context)]
}

function isNamed(arg: ParsedFilter['args'][number]): arg is readonly [string, Token] {
  return Array.isArray(arg)
}

/** Names of which LiquidJS finds something where there is no such property, too. */
const COUNTED: ReadonlySet<string> = new Set(['size', 'first', 'last'])
/** The filter that LiquidJS puts behind each output: nearly every value of a page goes through it. */
const ESCAPE = filters.escape as ParsedFilter['handler']
const SPECIAL = /[&<>"']/

function escaped(value: unknown, context: Context): unknown {
  const text = textOf(value)
  if (SPECIAL.test(text)) return Reflect.apply(ESCAPE, { context }, [text])
  context.memoryLimit.use(text.length)
  return text
}
