import { type FileFormat, isData } from '#frontmatter/split.ts'
import type { Document } from '../document.ts'

/** The format of a file, and the values that its path gives the record in it. */
export interface FileForm extends FileFormat {
  /** Values from the path: the publication date if the file has none, and names of categories in addition to its own. */
  readonly date?: string
  readonly categories?: readonly string[]
  /**
   * The part of the path that makes the file a draft, whatever the file says: its folder, or a name without the date that its
   * folder requires.
   */
  readonly draft?: 'folder' | 'name'
  /** That it is the page of a section. */
  readonly isSection?: true
  /** See `Head`. */
  readonly hasFolder?: true
  readonly folder?: string
}

/** Returns whether one document is pure YAML and the other has a body after its front matter. */
export function isOtherForm(one: Pick<Document, 'file'>, other: Pick<Document, 'file'>): boolean {
  if (one.file === undefined || other.file === undefined) return false
  const [first, second] = [one.file, other.file].map((file) => isData({ extension: file.slice(file.lastIndexOf('.') + 1) }))
  return first !== second
}
