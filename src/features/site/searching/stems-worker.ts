import { Analyser } from '#fulltext/analysis/analyser.ts'
import type { SearchText } from '#fulltext/segments/search-text.ts'
import { answerQuestions } from '#lib/concurrency/worker-answers.ts'
import { type PageWords, wordsOf } from './stems.ts'

/** A text whose words are wanted. */
export interface StemsQuestion {
  readonly locale: string
  readonly text: SearchText
}

let analyser: { readonly locale: string; readonly made: Analyser } | undefined

answerQuestions(answer)

function answer({ locale, text }: StemsQuestion): PageWords {
  if (analyser?.locale !== locale) analyser = { locale, made: new Analyser(locale) }
  return wordsOf(text, analyser.made)
}
