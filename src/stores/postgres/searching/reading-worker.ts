import type { Document } from '#core/document.ts'
import type { ContentType } from '#core/types/content-type.ts'
import { Analyser } from '#fulltext/analysis/analyser.ts'
import { answerQuestions } from '#lib/concurrency/worker-answers.ts'
import { type Reading, readingOf } from './reading.ts'

/** A document to be read for the index. */
export interface ReadingQuestion {
  readonly locale: string
  readonly type: Pick<ContentType, 'taxonomies' | 'fields'>
  readonly document: Pick<Document, 'fields' | 'body'>
}

let analyser: { readonly locale: string; readonly made: Analyser } | undefined

answerQuestions(answer)

function answer({ locale, type, document }: ReadingQuestion): Reading {
  if (analyser?.locale !== locale) analyser = { locale, made: new Analyser(locale) }
  return readingOf(type, document, analyser.made)
}
