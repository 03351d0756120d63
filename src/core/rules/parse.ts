import { RE2JS } from 're2js'
import { nearest } from '#lib/text/nearest.ts'
import type { Rule } from '../types/content-type.ts'

/** The argument that each rule takes after its colon. */
const ARGUMENTS = {
  required: 'none',
  nullable: 'none',
  string: 'none',
  integer: 'none',
  number: 'none',
  boolean: 'none',
  array: 'none',
  object: 'none',
  date: 'none',
  email: 'none',
  url: 'none',
  slug: 'none',
  confirmed: 'none',
  min: 'number',
  max: 'number',
  between: 'range',
  in: 'list',
  regex: 'regex',
  unique: 'target',
  exists: 'type',
} as const

/** Names of all rules. */
export const RULES: readonly string[] = Object.keys(ARGUMENTS)

/**
 * Parses rules from `required|min:3` or a list of such. `fault` is the problem of the first that can't be read, which is left
 * out.
 */
export function parseRules(source: string | readonly string[]): { rules: Rule[]; fault?: string } {
  const rules: Rule[] = []
  let fault: string | undefined
  for (const part of typeof source === 'string' ? split(source) : source) {
    const rule = ruleOf(part.trim())
    const wrong = faultOf(rule)
    if (wrong === undefined) rules.push(rule)
    else fault ??= wrong
  }
  return fault === undefined ? { rules } : { rules, fault }
}

/** The text that `parseRules` reads as these rules. */
export function formatRules(rules: readonly Rule[]): string[] {
  return rules.map((rule) => (rule.argument === undefined ? rule.name : `${rule.name}:${rule.argument}`))
}

/**
 * The pattern of a `regex` rule's argument `/…/` with flags of i, m, s, for an engine whose time is linear; undefined where it
 * can't be read.
 */
export function compileRegex(argument: string): RE2JS | undefined {
  const match = /^\/(.*)\/([imsu]*)$/s.exec(argument)
  if (!match) return undefined
  let flags = 0
  if (match[2]?.includes('i')) flags |= RE2JS.CASE_INSENSITIVE
  if (match[2]?.includes('m')) flags |= RE2JS.MULTILINE
  if (match[2]?.includes('s')) flags |= RE2JS.DOTALL
  try {
    return RE2JS.compile(RE2JS.translateRegExp(match[1] ?? ''), flags)
  } catch {
    return undefined
  }
}

/** A regex may hold `|`: it is the last rule of a string, and takes all that is left. */
function split(text: string): string[] {
  const at = /(?:^|\|)\s*regex:/.exec(text)
  if (!at) return text.split('|').filter((part) => part.trim() !== '')
  const start = text.startsWith('|', at.index) ? at.index + 1 : at.index
  return [...split(text.slice(0, at.index)), text.slice(start)]
}

function ruleOf(text: string): Rule {
  const colon = text.indexOf(':')
  return colon < 0 ? { name: text } : { name: text.slice(0, colon).trim(), argument: text.slice(colon + 1).trim() }
}

function faultOf(rule: Rule): string | undefined {
  if (!Object.hasOwn(ARGUMENTS, rule.name)) return unknown(rule.name)
  const wanted = ARGUMENTS[rule.name as keyof typeof ARGUMENTS]
  if (wanted === 'none') return rule.argument === undefined ? undefined : `The rule "${rule.name}" takes nothing after a colon.`
  const argument = rule.argument ?? ''
  return FAULTS[wanted](rule.name, argument)
}

function unknown(name: string): string {
  const near = nearest(name, RULES)
  return `There is no rule "${name}".${near ? ` Did you mean "${near}"?` : ` The rules are ${RULES.join(', ')}.`}`
}

const NUMBER = /^-?[0-9]+(?:\.[0-9]+)?$/

const FAULTS: Record<
  'number' | 'range' | 'list' | 'regex' | 'target' | 'type',
  (name: string, argument: string) => string | undefined
> = {
  number: (name, argument) => (NUMBER.test(argument) ? undefined : `The rule "${name}" wants a number: ${name}:3.`),
  range: (name, argument) => {
    const [least, most, ...more] = argument.split(',').map((part) => part.trim())
    const right = NUMBER.test(least ?? '') && NUMBER.test(most ?? '') && more.length === 0 && Number(least) <= Number(most)
    return right ? undefined : `The rule "${name}" wants two numbers, the smaller first: ${name}:1,10.`
  },
  list: (name, argument) => (argument === '' ? `The rule "${name}" wants a list: ${name}:small,large.` : undefined),
  regex: (name, argument) =>
    compileRegex(argument)
      ? undefined
      : `The rule "${name}" wants a pattern between slashes: ${name}:/^[a-z]+$/ (no look-around, no back-references).`,
  target: (name, argument) =>
    /^[^,]+(?:,[^,]+)?$/.test(argument)
      ? undefined
      : `The rule "${name}" wants a type, and a field if it is another: ${name}:posts,sku.`,
  type: (name, argument) => (/^[^,]+$/.test(argument) ? undefined : `The rule "${name}" wants a type: ${name}:authors.`),
}
