import { answerQuestions } from '#lib/concurrency/worker-answers.ts'
import { twinText } from './twin.ts'

answerQuestions(twinText)
