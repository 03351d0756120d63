import { Drop, type Expression, TypeGuards, toValue } from 'liquidjs'
import { type Compiler, type Context, forLiquid, type Read } from './node.ts'

/** Operators on values that are no objects. LiquidJS does the same, after it has asked each operand whether it compares itself. */
const OF_PLAIN: Readonly<Record<string, (left: never, right: never) => boolean>> = {
  '==': (left, right) => left === right,
  '!=': (left, right) => left !== right,
  '>': (left, right) => left > right,
  '<': (left, right) => left < right,
  '>=': (left, right) => left >= right,
  '<=': (left, right) => left <= right,
}

/** Operators on values that are no drops: both are evaluated always. */
const OF_TRUTH: Readonly<Record<string, (left: boolean, right: boolean) => boolean>> = {
  and: (left, right) => left && right,
  or: (left, right) => left || right,
}

/** Compiles operands and operators that LiquidJS has brought into postfix order. */
export function expression(parsed: Expression, compiler: Compiler): Read {
  const operands: Read[] = []
  for (const token of parsed.postfix) {
    if (!TypeGuards.isOperatorToken(token)) {
      operands.push(compiler.token(token))
      continue
    }
    const right = operands.pop()
    const left = token.operator === 'not' ? right : operands.pop()
    if (!left || !right) return byLiquid(parsed)
    operands.push(token.operator === 'not' ? not(right, compiler) : binary(token.operator, left, right, compiler))
  }
  const [only] = operands
  return only && operands.length === 1 ? only : byLiquid(parsed)
}

function byLiquid(parsed: Expression): Read {
  return (context) => context.memoryLimit.settled(parsed.evaluate(forLiquid(context)))
}

function not(operand: Read, { liquid }: Compiler): Read {
  const apply = liquid.options.operators.not as Apply
  return (context) => {
    const value = operand(context)
    return value instanceof Drop ? context.memoryLimit.settled(apply(value, context)) : !isTrue(value)
  }
}

function binary(operator: string, left: Read, right: Read, { liquid }: Compiler): Read {
  const apply = liquid.options.operators[operator] as Apply
  const ofPlain = OF_PLAIN[operator]
  const ofTruth = OF_TRUTH[operator]
  return (context) => {
    const a = left(context)
    const b = right(context)
    if (ofPlain && isPlain(a) && isPlain(b)) return ofPlain(a as never, b as never)
    if (ofTruth && !(a instanceof Drop) && !(b instanceof Drop)) return ofTruth(isTrue(a), isTrue(b))
    return context.memoryLimit.settled(apply(a, b, context))
  }
}

/** An operator of LiquidJS, or a generator of its result. */
type Apply = (...operands: unknown[]) => unknown

function isPlain(value: unknown): boolean {
  return value === null || (typeof value !== 'object' && typeof value !== 'function')
}

function isTrue(value: unknown): boolean {
  return value !== false && value !== undefined && value !== null
}

/** Returns whether a branch is taken for a value. */
export function isTaken(value: unknown, context: Context): boolean {
  return isTrue(context.memoryLimit.settled(toValue(value)))
}
