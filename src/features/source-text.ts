import type { Document } from '#core/document.ts'
import type { SourceText } from './resource.ts'

/** Returns the text of a document's file, with its path where that is known; undefined where there is no file. */
export function sourceOf(document: Document | undefined): SourceText | undefined {
  return document?.source && { path: document.file, text: document.source.toString('utf8') }
}
