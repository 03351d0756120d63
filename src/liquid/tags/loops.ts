import { Drop, type ForTag, toValue } from 'liquidjs'
import { GIVE_UP } from '../budget.ts'
import { type Compile, type Context, scopeOf } from '../node.ts'

/** The variable `forloop`. Its own properties are those of the drop of LiquidJS in their order, for filters print them. */
export class ForLoop extends Drop {
  i = 0
  readonly length: number
  readonly name: string

  constructor(length: number, collection: string, variable: string | undefined) {
    super()
    this.length = length
    this.name = `${variable}-${collection}`
  }

  next(): void {
    this.i++
  }

  index0(): number {
    return this.i
  }

  index(): number {
    return this.i + 1
  }

  first(): boolean {
    return this.i === 0
  }

  last(): boolean {
    return this.i === this.length - 1
  }

  rindex(): number {
    return this.length - this.i
  }

  rindex0(): number {
    return this.length - this.i - 1
  }

  override valueOf(): string {
    return JSON.stringify(this)
  }
}

export const forTag: Compile<ForTag> = (tag, compiler) => {
  const read = compiler.token(tag.collection)
  const each = compiler.list(tag.templates)
  const otherwise = compiler.list(tag.elseTemplates)
  const label = tag.collection.getText()
  const position = `continue-${tag.variable}-${label}`
  const isWhole = Object.keys(tag.hash.hash).length === 0
  const hash = compiler.hash(tag.hash)
  return (context, out) => {
    const all = listOf(read(context))
    if (all.length === 0) return otherwise(context, out)
    let offset: unknown
    let items = all
    if (!isWhole) {
      context.push(scopeOf({ continue: context.getRegister(position, {}) }))
      const modifiers = hash(context)
      context.pop()
      offset = modifiers.offset
      items = cut(all, modifiers)
    }
    context.setRegister(position, ((offset || 0) as number) + items.length)
    const scope = scopeOf({ forloop: new ForLoop(items.length, label, tag.variable) })
    context.push(scope)
    for (const item of items) {
      scope[tag.variable] = item
      proceed(context)
      each(context, out)
      if (context.breakCalled) break
      // A variable of that name takes its place.
      ;(scope.forloop as ForLoop).next()
    }
    proceed(context)
    context.pop()
  }
}

function proceed(context: Context): void {
  context.continueCalled = false
  context.breakCalled = false
}

function cut(items: readonly unknown[], { offset, limit, reversed }: Record<string, unknown>): readonly unknown[] {
  const from = offset === undefined ? items : items.slice(offset as number)
  const some = limit === undefined ? from : from.slice(0, limit as number)
  return reversed === undefined ? some : [...some].reverse()
}

/** The items of a value that is gone through: pairs of name and value, of an object. */
export function listOf(given: unknown): readonly unknown[] {
  const value: unknown = toValue(given)
  if (Array.isArray(value)) return value
  if (typeof value === 'string') return value === '' ? [] : [value]
  if (typeof value !== 'object' && typeof value !== 'function') return []
  if (value === null) return []
  // What is in a drop is ours, or LiquidJS's.
  if (value instanceof Drop) throw GIVE_UP
  if (Symbol.iterator in value) return Array.from(value as Iterable<unknown>)
  return Object.entries(value)
}

export const breakTag: Compile<object> = () => (context) => {
  context.breakCalled = true
}

export const continueTag: Compile<object> = () => (context) => {
  context.continueCalled = true
}
