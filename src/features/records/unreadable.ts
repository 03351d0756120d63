import type { Access } from '../../core/access.ts'
import type { Problem } from '../../core/document.ts'
import { Unreadable } from '../../core/errors.ts'
import { seesAll } from './rights.ts'

/** The error for a record whose file can't be read; where and why only for who sees all drafts, for the message quotes the file. */
export function unreadable(access: Access, problem: Problem, type: string): Unreadable {
  if (!seesAll(access, type)) return new Unreadable('The file of this record can not be read as one.')
  const { file, line, column } = problem
  const place = [file, ...(line === undefined ? [] : [line, ...(column === undefined ? [] : [column])])].join(':')
  const at = { file, ...(line === undefined ? {} : { line }), ...(column === undefined ? {} : { column }) }
  return new Unreadable(`${place}: ${problem.message}`, at, problem.hint)
}
