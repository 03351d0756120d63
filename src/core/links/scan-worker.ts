import { parentPort } from 'node:worker_threads'
import type { Destination } from './destination.ts'
import { linkMarks } from './marks.ts'
import { LinkScanner } from './scanner.ts'

/** A request to the worker thread: the destinations of a text (its line ends are LF then), or its marks. */
export interface ScanTask {
  readonly id: number
  readonly text: string
  readonly want: 'destinations' | 'marks'
}

/** The response of the worker thread. */
export interface ScanDone {
  readonly id: number
  readonly found: readonly Destination[] | Uint32Array
}

const scanner = new LinkScanner()

parentPort?.on('message', ({ id, text, want }: ScanTask) => {
  const done: ScanDone = { id, found: want === 'marks' ? linkMarks(text) : scanner.scan(text) }
  parentPort?.postMessage(done)
})
