import type { RE2JS } from 're2js'
import type { Json } from '#lib/json.ts'
import type { Field, Rule } from '../types/content-type.ts'
import * as values from '../types/values.ts'

/** Gives the pattern that a `regex` rule's argument stands for. */
type Patterns = (argument: string) => RE2JS | undefined

type RuleCheck = (value: Json, argument: string, patterns: Patterns) => string | undefined

const CHECKS: Readonly<Record<string, RuleCheck>> = {
  string: values.stringFault,
  integer: values.integerFault,
  number: values.numberFault,
  boolean: values.booleanFault,
  array: values.arrayFault,
  object: values.objectFault,
  date: values.dateFault,
  email: values.emailFault,
  url: values.urlFault,
  slug: values.slugFault,
  min: (value, argument) => sized(value, (size) => size >= Number(argument), `at least ${argument}`, `at least ${argument}`),
  max: (value, argument) =>
    sized(value, (size) => size <= Number(argument), `not be greater than ${argument}`, `not have more than ${argument}`),
  between: (value, argument) => {
    const [least = '', most = ''] = argument.split(',').map((part) => part.trim())
    const words = `between ${least} and ${most}`
    return sized(value, (size) => size >= Number(least) && size <= Number(most), words, words)
  },
  in: (value, argument) => {
    const choices = argument.split(',').map((choice) => choice.trim())
    const fits = [value].flat().every((item) => typeof item !== 'object' && choices.includes(String(item)))
    return fits ? undefined : `must be one of ${choices.join(', ')}.`
  },
  regex: (value, argument, patterns) => {
    const fits = typeof value === 'string' && patterns(argument)?.matcher(value).find()
    return fits ? undefined : 'format is invalid.'
  },
}

/** Returns the faults of a value by these rules, apart from `required` and `confirmed`: each as the end of a sentence, once. */
export function ruleFaults(rules: readonly Rule[], value: Json, patterns: Patterns): string[] {
  const faults = rules.flatMap(({ name, argument = '' }) => CHECKS[name]?.(value, argument, patterns) ?? [])
  return [...new Set(faults)]
}

/** Returns whether a field must have a value. */
export function isRequired(field: Field): boolean {
  return field.rules.some((rule) => rule.name === 'required')
}

/** A message about a field, by the name that is sent: `The published_at must be …`. */
export function say(name: string, fault: string): string {
  return `The ${name} ${fault}`
}

/** Returns whether a value is none, as `required` has it. */
export function isEmpty(value: Json | undefined): boolean {
  if (value === undefined || value === null) return true
  return typeof value === 'string' ? value.trim() === '' : Array.isArray(value) && value.length === 0
}

/** Strings are measured in characters, numbers by value, lists and objects by what they hold. */
function sized(value: Json, fits: (size: number) => boolean, be: string, have: string): string | undefined {
  if (typeof value === 'number') return fits(value) ? undefined : `must ${withBe(be)}.`
  if (typeof value === 'string') return fits([...value].length) ? undefined : `must ${withBe(be)} ${unit(be, 'character')}.`
  if (typeof value !== 'object' || value === null) return 'has no size that could be measured.'
  const size = Array.isArray(value) ? value.length : Object.keys(value).length
  return fits(size) ? undefined : `must ${have.startsWith('not') ? have : `have ${have}`} ${unit(have, 'item')}.`
}

/** `1 item`, `3 items`, by the number that the words before it end with. */
function unit(words: string, one: string): string {
  return / 1$/.test(words) ? one : `${one}s`
}

function withBe(words: string): string {
  return words.startsWith('not') ? words : `be ${words}`
}
