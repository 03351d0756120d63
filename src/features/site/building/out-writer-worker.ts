import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { type Twin, twinText } from '../pages/twin.ts'
import { type Refused, type Taken, tried, Writing } from './out-writing.ts'

/** The folders of `Writing`, that of the worker that is started. */
export interface WriterPlace {
  readonly path: string
  readonly made: string | undefined
}

/** A file with the place of its bytes, at which they begin and how many they are; for a twin, of the HTML that it is made of. */
type Sent = readonly [file: string, at: number, length: number, twin?: Omit<Twin, 'html'>]

/** Files, and their bytes. */
export interface Batch {
  /** Shared, and left as they are until the answer. */
  readonly bytes: SharedArrayBuffer | undefined
  readonly files: readonly Sent[]
}

/** The outcome for the files of a batch, in their order; and its bytes, for the next one. */
export interface Written {
  readonly bytes: SharedArrayBuffer | undefined
  readonly taken: readonly (Taken | Refused)[]
}

const { path, made }: WriterPlace = workerData
const writing = new Writing(path, made)
const port = parentPort as MessagePort

port.on('message', ({ bytes, files }: Batch) => {
  const taken = files.map((file) => tried(() => writing.put(file[0], bytesOf(file, bytes))))
  port.postMessage({ bytes, taken } satisfies Written)
})
port.postMessage(undefined)

function bytesOf([, at, length, twin]: Sent, bytes: SharedArrayBuffer | undefined): Buffer {
  const sent = bytes ? Buffer.from(bytes, at, length) : Buffer.alloc(0)
  return twin ? Buffer.from(twinText({ ...twin, html: sent.toString() })) : sent
}
