import type { Hash, Liquid, Context as LiquidContext, Template, Token, Value } from 'liquidjs'
import type { Budget } from './budget.ts'
import type { Out } from './out.ts'

/** Variables by name, without a prototype. */
export type Scope = Record<string, unknown>

/** A context of LiquidJS: what the closures use of it, and as its limiters a budget. */
export interface Context {
  readonly strictVariables: boolean
  readonly sync: boolean
  readonly memoryLimit: Budget
  breakCalled: boolean
  continueCalled: boolean
  findScope(key: unknown): unknown
  readProperty(value: unknown, key: unknown): unknown
  bottom(): Scope
  push(scope: Scope): void
  pop(): void
  spawn(): Context
  getRegister(key: string, initial?: unknown): unknown
  setRegister(key: string, value: unknown): void
  saveRegister(...keys: string[]): unknown
  restoreRegister(saved: unknown): void
}

/** A part of a template, ready to be run. */
export type Run = (context: Context, out: Out) => void

/** An expression of a template, ready to be evaluated. */
export type Read = (context: Context) => unknown

/** The name of a template as LiquidJS has parsed it; undefined for none. */
export type FileName = Template[] | Token | string | undefined

/** The makers of closures that tags use for what is in them. */
export interface Compiler {
  readonly liquid: Liquid
  /** Templates one after the other, up to a break. They count as one block. */
  list(templates: readonly Template[]): Run
  /** A text of its own that templates make. */
  text(templates: readonly Template[]): Read
  value(value: Value): Read
  token(token: Token | undefined): Read
  /** The named arguments of a tag, as an object. */
  hash(hash: Hash): (context: Context) => Record<string, unknown>
}

/** A maker of closures for one tag of LiquidJS. */
export type Compile<Tag> = (tag: Tag, compiler: Compiler) => Run

/** A scope with these variables. */
export function scopeOf(variables: object): Scope {
  return Object.assign(Object.create(null) as Scope, variables)
}

/** A context as LiquidJS declares it. */
export function forLiquid(context: Context): LiquidContext {
  return context as unknown as LiquidContext
}
