import { parentPort } from 'node:worker_threads'

/** Posted first of all, when the thread can be asked. */
export const READY = 'ready'

/**
 * Answers each question that a `WorkerQueue` asks this thread; an error ends the thread. What a dependency prints on stdout is
 * dropped here, so that nobody has to read it.
 */
export function answerQuestions<Question, Answer>(answer: (question: Question) => Answer | Promise<Answer>): void {
  process.stdout.write = () => true
  parentPort?.on('message', async (question: Question) => parentPort?.postMessage(await answer(question)))
  parentPort?.postMessage(READY)
}
