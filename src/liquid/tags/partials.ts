import type { Hash, IncludeTag, RenderTag, Template, Token } from 'liquidjs'
import { GIVE_UP } from '../budget.ts'
import { type Compile, type Compiler, type Context, type FileName, type Read, type Run, scopeOf } from '../node.ts'
import { ForLoop, listOf } from './loops.ts'

/** A value that a partial template is given, under a name. */
interface Binding {
  readonly value: Token
  readonly alias?: string
}

/** A tag with the name of another template. */
interface Naming {
  readonly file?: FileName
  readonly currentFile?: string
}

interface ParsedRender extends Naming {
  readonly hash: Hash
  readonly with?: Binding
  readonly forBinding?: Binding
}

interface ParsedInclude extends Naming {
  readonly hash: Hash
  readonly withVar?: Token
}

/** Another template, by the name it is called by. */
interface Named {
  readonly name: string
  readonly run: Run
}

/** The generators of LiquidJS that parse another template. */
export type Parse = (name: string, isSync: boolean, from?: string) => Iterator<unknown, Template[]>

export const renderTag: Compile<RenderTag> = (tag, compiler) => {
  const { hash: parsed, with: binding, forBinding, ...naming } = tag as unknown as ParsedRender
  const { liquid } = compiler
  const other = otherTemplate(naming, liquid._parsePartialFile.bind(liquid) as Parse, compiler)
  const hash = compiler.hash(parsed)
  const given = compiler.token(binding?.value)
  const items = compiler.token(forBinding?.value)
  const label = forBinding?.value.getText() ?? ''
  return (context, out) => {
    const { name, run } = other(context)
    const inner = context.spawn()
    const scope = inner.bottom()
    Object.assign(scope, hash(context))
    if (binding) scope[binding.alias || name] = given(context)
    if (!forBinding) return run(inner, out)
    const list = listOf(items(context))
    const loop = new ForLoop(list.length, label, forBinding.alias)
    scope.forloop = loop
    for (const item of list) {
      scope[forBinding.alias as string] = item
      run(inner, out)
      ;(scope.forloop as ForLoop).next()
    }
  }
}

export const includeTag: Compile<IncludeTag> = (tag, compiler) => {
  const { hash: parsed, withVar, ...naming } = tag as unknown as ParsedInclude
  const { liquid } = compiler
  const other = otherTemplate(naming, liquid._parsePartialFile.bind(liquid) as Parse, compiler)
  const hash = compiler.hash(parsed)
  const given = compiler.token(withVar)
  return (context, out) => {
    const { name, run } = other(context)
    const saved = context.saveRegister('blocks', 'blockMode')
    context.setRegister('blocks', {})
    context.setRegister('blockMode', 0)
    const scope = scopeOf(hash(context))
    if (withVar) scope[name] = given(context)
    context.push(scope)
    run(context, out)
    context.pop()
    context.restoreRegister(saved)
  }
}

/** Compiles the name of another template into the template: one that is always the same is looked up once. */
export function otherTemplate(naming: Naming, parse: Parse, compiler: Compiler): (context: Context) => Named {
  const { file, currentFile } = naming
  const read = nameReader(file, compiler)
  let known: Named | undefined
  return (context) => {
    if (known) return known
    const name = read(context)
    if (typeof name !== 'string' || name === '') throw GIVE_UP
    const templates = context.memoryLimit.settled(parse(name, context.sync, currentFile)) as Template[]
    const named = { name, run: compiler.list(templates) }
    if (typeof file === 'string') known = named
    return named
  }
}

function nameReader(file: FileName, compiler: Compiler): Read {
  if (typeof file === 'string') return () => file
  return Array.isArray(file) ? compiler.text(file) : compiler.token(file)
}
