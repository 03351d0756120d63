import { BadConfig } from '#lib/errors.ts'
import type { KeyPath, Source } from './source.ts'

/** One thing that is wrong with a configuration: a sentence, where, and how to mend it. */
export interface Fault {
  path: KeyPath
  /** The wrong part of the entry at the path: its key or its value. */
  part: 'key' | 'value'
  message: string
  hint?: string | undefined
}

/** A fault of a value, named by its path: `server.port must be …`. */
export function valueFault(path: KeyPath, message: string, hint?: string): Fault {
  return { path, part: 'value', message: `${nameOf(path)} ${message}`, hint }
}

/** A fault of a key, named by its path. */
export function keyFault(path: KeyPath, message: string, hint?: string): Fault {
  return { path, part: 'key', message: `${nameOf(path)}${message}`, hint }
}

/** A path as people write it: `types.posts.fields`. */
export function nameOf(path: KeyPath): string {
  return path.length > 0 ? path.join('.') : 'The configuration'
}

/** The error for these faults, one at least: the first in the file, and the others after it. */
export function badConfig(source: Source, faults: readonly Fault[]): BadConfig {
  const placed = faults.map((fault) => ({ fault, at: source.at(fault.path, fault.part) }))
  placed.sort((a, b) => a.at.line - b.at.line || a.at.column - b.at.column)
  const [first, ...others] = placed
  if (!first) throw new Error('There is no fault to tell.')
  const { message, hint } = first.fault
  const mistakes = others.map(({ fault, at }) => ({ message: fault.message, hint: fault.hint, ...at }))
  return new BadConfig(message, first.at, hint, mistakes)
}
