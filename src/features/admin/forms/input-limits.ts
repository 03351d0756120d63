import type { Field } from '#core/types/content-type.ts'
import type { FieldKind, FieldView } from './field-view.ts'

/** The kinds whose inputs say how long or large a value may be, and of what form. */
const LINES: readonly FieldKind[] = ['text', 'slug', 'email', 'url']
const SIZED: readonly FieldKind[] = [...LINES, 'textarea', 'markdown', 'number']

/** Returns what the rules of a field say that an input can check by itself. */
export function limitsOf({ rules }: Field, kind: FieldKind): Pick<FieldView, 'max' | 'pattern'> {
  const argument = (name: string) => rules.find((rule) => rule.name === name)?.argument
  const max = argument('max') ?? argument('between')?.split(',')[1]
  const regex = argument('regex')
  const pattern = regex !== undefined && LINES.includes(kind) ? patternOf(regex) : undefined
  return {
    ...(max !== undefined && SIZED.includes(kind) && { max: Number(max) }),
    ...(pattern !== undefined && { pattern }),
  }
}

/** Returns a pattern that means the same to a browser, which wants the whole text to match; undefined where there is none. */
function patternOf(argument: string): string | undefined {
  const [, source] = /^\/(.*)\/$/s.exec(argument) ?? []
  if (source === undefined || source.includes('[[:')) return undefined
  try {
    const pattern = `.*(?:${source}).*`
    new RegExp(pattern, 'v')
    return pattern
  } catch {
    return undefined
  }
}
