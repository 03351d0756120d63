import type { Access, Caller } from '#core/access/access.ts'
import type { Asked } from '#core/history/revision.ts'
import type { Resource, ResourceWrite, Row } from './resource.ts'

/** A folder below the one that is shown, with the number of files in it and below. */
export interface FileFolder {
  readonly name: string
  /** From the uppermost folder on: `2026/cats`. */
  readonly path: string
  readonly count: number
}

/** The numbers of files that are there for a reader. */
export interface FileSummary {
  readonly total: number
  readonly bytes: number
  /** Pictures of which nobody has said what they show. */
  readonly withoutAlt: number
  readonly unused: number
  /** The folders right below the one that was asked for. */
  readonly folders: readonly FileFolder[]
}

/** A file as it comes in a form: its name as it was sent, without folders. */
export interface SentFile {
  readonly filename: string
  readonly content: AsyncIterable<Uint8Array>
}

/** Files in the panel, which are uploaded, replaced and moved as well. Their bytes are not read before the caller is known to be let. */
export interface FileResource extends Resource {
  /** The endings of names that are taken, with their dots. */
  readonly accept: readonly string[]
  /** The most bytes of a file, and how the configuration says that. */
  readonly most: number
  readonly maxSize: string
  summary(access: Access, folder: string): Promise<FileSummary>
  /** Returns the address of a small picture of the file at a path (`2026/photo.jpg`), if its name says that it is one. */
  pictureOf(path: string): string | undefined
  /** Returns whether the reader may upload something. */
  mayUpload(access: Access): boolean
  /** Returns whether the reader may give it another path. */
  mayMove(access: Access, row: Row): boolean
  /** Throws Forbidden where the caller may upload nothing. */
  mustMayUpload(access: Access): Promise<void>
  /** Makes a file; `texts` has the folder, and what is said of it. The caller is asked once the file has come. */
  upload(caller: Caller, file: SentFile, texts: ReadonlyMap<string, string>, asked: Asked): Promise<Row>
  /** Throws where the caller may not put other bytes in the place of those of a file. */
  mustMayReplace(access: Access, id: string): Promise<void>
  replace(caller: Caller, id: string, file: SentFile, asked: Asked): Promise<Row>
  /** Gives a file another path (`2026/photo.jpg`); what uses it follows. */
  move(access: Access, id: string, path: string, asked: Asked): Promise<Row>
  /** Removes one; also one that something uses if it is forced. */
  drop(access: Access, id: string, write: ResourceWrite & { readonly force: boolean }): Promise<void>
}
