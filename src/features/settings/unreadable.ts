import type { Problem } from '#core/document.ts'
import { Unreadable } from '#lib/errors.ts'

/** The error for a setting whose file is unreadable; where and why is for who sees all settings, since the message quotes the file. */
export function unreadable({ file, line, column, message, hint }: Problem, seesAll: boolean): Unreadable {
  if (!seesAll) return new Unreadable('The file of this setting can not be read.')
  const place = [file, ...(line === undefined ? [] : [line, ...(column === undefined ? [] : [column])])].join(':')
  const at = { file, ...(line === undefined ? {} : { line }), ...(column === undefined ? {} : { column }) }
  return new Unreadable(`${place}: ${message}`, at, hint)
}
