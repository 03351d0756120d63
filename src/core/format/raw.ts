import { type FrontMatter, readFrontMatter } from '#frontmatter/read.ts'
import type { Problem } from '../document.ts'
import type { FileForm } from '../files/file-form.ts'

export { unifyLines } from '#frontmatter/read.ts'

/** Reads the front matter of a file, or gives the problem that it has as the site tells of it. */
export function readRaw(bytes: Buffer, form: FileForm, file: string): FrontMatter | { problem: Problem } {
  const read = readFrontMatter(bytes, form)
  return 'fault' in read ? { problem: { file, ...read.fault, severity: 'error' } } : read
}
