import { parentPort, workerData } from 'node:worker_threads'
import { Analyser } from '#fulltext/analysis/analyser.ts'
import { buildSegment, type Draft } from '#fulltext/segments/build.ts'
import { mergeSegments } from '#fulltext/segments/merge.ts'
import { Segment } from '#fulltext/segments/segment.ts'

/**
 * A task for the worker thread: to make a segment from documents, or from segments (their memory, and the documents of each that
 * are gone).
 */
export type Task =
  | { readonly id: number; readonly drafts: readonly Draft[] }
  | { readonly id: number; readonly parts: readonly { readonly memory: SharedArrayBuffer; readonly gone: Uint8Array }[] }

/** The answer of the worker thread: the memory of a segment, or the error. */
export type Done = { readonly id: number; readonly memory: SharedArrayBuffer } | { readonly id: number; readonly fault: string }

const { locale } = workerData as { locale: string }
const analyser = new Analyser(locale)

parentPort?.on('message', (task: Task) => parentPort?.postMessage(done(task)))

function done(task: Task): Done {
  try {
    return { id: task.id, memory: work(task).memory }
  } catch (error) {
    return { id: task.id, fault: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

function work(task: Task): Segment {
  if ('drafts' in task) return buildSegment(task.drafts, analyser)
  return mergeSegments(task.parts.map(({ memory, gone }) => ({ segment: new Segment(memory), gone })))
}
