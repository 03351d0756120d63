import type { AssignTag, CaptureTag, Value } from 'liquidjs'
import type { Compile } from '../node.ts'

interface ParsedAssign {
  readonly key: string
  readonly value: Value
}

export const assignTag: Compile<AssignTag> = (tag, compiler) => {
  const { key, value } = tag as unknown as ParsedAssign
  const read = compiler.value(value)
  return (context) => {
    context.bottom()[key] = read(context)
  }
}

export const captureTag: Compile<CaptureTag> = (tag, compiler) => {
  const read = compiler.text(tag.templates)
  return (context) => {
    context.bottom()[tag.variable] = read(context)
  }
}
