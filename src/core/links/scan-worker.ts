import { parentPort } from 'node:worker_threads'
import type { Destination } from './destination.ts'
import { linkMarks } from './marks.ts'
import { LinkScanner } from './scanner.ts'

/** A request to the worker thread: the destinations of a text (its line ends are LF then), or its marks. */
export interface ScanTask {
  readonly id: number
  readonly text: string
  readonly want: 'destinations' | 'marks'
  /** True if names in double brackets are destinations. */
  readonly wikilinks: boolean
}

/** The response of the worker thread. */
export interface ScanDone {
  readonly id: number
  readonly found: readonly Destination[] | Uint32Array
}

const scanners = { plain: new LinkScanner(), wiki: new LinkScanner(true) }

parentPort?.on('message', ({ id, text, want, wikilinks }: ScanTask) => {
  const done: ScanDone = { id, found: want === 'marks' ? linkMarks(text) : scanners[wikilinks ? 'wiki' : 'plain'].scan(text) }
  parentPort?.postMessage(done)
})
