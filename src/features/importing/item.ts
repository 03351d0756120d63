import type { ContentTypes } from '#core/types/content-type.ts'
import type { Fields } from '#lib/json.ts'
import type { Copy } from './copies.ts'

/** The tools that content is taken over from, and plain folders of Markdown. */
export const SOURCES = ['hugo', 'jekyll', 'eleventy', 'wordpress', 'ghost', 'markdown'] as const

/** The name of a tool that content is taken over from. */
export type Source = (typeof SOURCES)[number]

/** A record as another tool has it. */
export interface RecordItem {
  readonly is: 'record'
  /** Its place in the source, for people: `content/posts/a.md`. */
  readonly from: string
  readonly type: string
  readonly id: string
  /** The path below the content folder that its file keeps, where that has this id: for `_index.md`, and other endings. */
  readonly file?: string
  /** The bytes of its file, which stay as they are but for what is changed; absent where it had none. */
  readonly source?: Buffer
  /** Front matter as it stands in `source`. */
  readonly data?: Readonly<Fields>
  /** Fields by Quire's names, beside those of `source`. */
  readonly set: Fields
  /** Its text as Markdown. */
  readonly body: string
  /** The path of the page that it had; a redirect leads from there where it gets another. */
  readonly address?: string | undefined
  /** Set where the tool did not show it to everyone: it becomes a draft, whatever its file says. */
  readonly hidden?: string | undefined
  /** The syntax of the tool that its text still has: names by what they are of. */
  readonly foreign?: Readonly<Record<string, readonly string[]>>
  /** Returns the absolute paths of files that a link of its text may lead to in the source, likeliest first. */
  locate(href: string): readonly string[]
}

/** A document that is no record: a term, a menu, a group of settings. */
export interface DataItem {
  readonly is: 'data'
  readonly from: string
  readonly kind: string
  readonly id: string
  readonly set: Fields
}

/** A file that can't be read, or not be taken over as it is. */
export interface ImportProblem {
  readonly file: string
  readonly line?: number
  readonly column?: number
  readonly message: string
  readonly hint?: string | undefined
}

/** A thing that is not taken over, and the reason: the same few words for all of one sort. */
export interface LeftItem {
  readonly is: 'left'
  readonly from: string
  readonly reason: string
}

/** Anything that a source holds, in the order in which it is read. */
export type Item =
  | RecordItem
  | DataItem
  /** A file that is copied into the site's folder as it is. */
  | ({ readonly is: 'copy'; readonly from: string } & Copy)
  | LeftItem
  | ({ readonly is: 'problem' } & ImportProblem)
  /** A sentence for the person at the machine. */
  | { readonly is: 'note'; readonly text: string }

/** A file of a source that can become media. */
export interface SourceFile {
  /** Absolute. */
  readonly path: string
  /** The path below `media/` that it is to have, where that is free. */
  readonly to: string
  /** Fields of its sidecar, such as `alt`. */
  readonly fields?: Fields
}

/** The reader of one export. `files` is asked for before `items`; both give their things in the same order each time. */
export interface Reader {
  files(): AsyncIterable<SourceFile | LeftItem>
  items(): AsyncIterable<Item>
}

/** The place of an export, and the site that it comes to. */
export interface ReadingPlace {
  /** The folder or the file; absolute. */
  readonly path: string
  readonly types: ContentTypes
  /** The present time in milliseconds since 1970. */
  readonly now: number
  /** The names of the shortcodes that texts of the site may use. */
  readonly shortcodes: ReadonlySet<string>
}

/** Opens an export. Throws NotFound or InvalidInput where the path can't be one of the tool. */
export type OpenReader = (place: ReadingPlace) => Promise<Reader>
