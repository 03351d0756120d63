import { workerData } from 'node:worker_threads'
import { answerQuestions } from '#lib/concurrency/worker-answers.ts'
import { ExcerptMaker, type ExcerptQuestion } from './excerpt-maker.ts'

/** The data that the thread is begun with. */
export interface ExcerptWorkerData {
  readonly locale: string
  readonly folder: string | undefined
}

const { locale, folder } = workerData as ExcerptWorkerData
const maker = new ExcerptMaker(locale, folder)

answerQuestions((question: ExcerptQuestion) => maker.answer(question))
