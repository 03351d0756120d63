import { type CaseTag, defaultOperators, type IfTag, toValue, type UnlessTag } from 'liquidjs'
import { type Compile, type Context, forLiquid, type Read } from '../node.ts'
import { isTaken } from '../operators.ts'

export const ifTag: Compile<IfTag> = (tag, compiler) => {
  const branches = tag.branches.map(({ value, templates }) => ({ read: compiler.value(value), run: compiler.list(templates) }))
  const otherwise = compiler.list(tag.elseTemplates ?? [])
  return (context, out) => {
    for (const { read, run } of branches) if (isTaken(read(context), context)) return run(context, out)
    otherwise(context, out)
  }
}

export const unlessTag: Compile<UnlessTag> = (tag, compiler) => {
  const branches = tag.branches.map(({ value, templates }, nth) => {
    return { read: compiler.value(value), run: compiler.list(templates), taken: nth > 0 }
  })
  const otherwise = compiler.list(tag.elseTemplates)
  return (context, out) => {
    for (const { read, run, taken } of branches) if (isTaken(read(context), context) === taken) return run(context, out)
    otherwise(context, out)
  }
}

/** Every branch that has an equal value is rendered, as by LiquidJS. */
export const caseTag: Compile<CaseTag> = (tag, compiler) => {
  const subject = compiler.value(tag.value)
  const branches = tag.branches.map(({ values, templates }) => {
    return { reads: values.map((token) => compiler.token(token)), run: compiler.list(templates) }
  })
  const otherwise = compiler.list(tag.elseTemplates)
  return (context, out) => {
    const target = context.memoryLimit.settled(toValue(subject(context)))
    const hits = branches.filter(({ reads, run }) => {
      const isHit = reads.some((read) => isEqual(target, read, context))
      if (isHit) run(context, out)
      return isHit
    })
    if (hits.length === 0) otherwise(context, out)
  }
}

function isEqual(target: unknown, read: Read, context: Context): boolean {
  const value = read(context)
  if (typeof target === 'string' && typeof value === 'string') return target === value
  return context.memoryLimit.settled(defaultOperators['==']?.(target, value, forLiquid(context))) === true
}
