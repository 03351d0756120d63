import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { type Twin, twinText } from '../pages/twin.ts'
import { type Refused, type Taken, tried, Writing } from './out-writing.ts'

/** The folders of `Writing`, that of the worker that is started. */
export interface WriterPlace {
  readonly path: string
  readonly made: string | undefined
}

/** Files with the places of their bytes, at which they begin and how many they are, or with what they are made of. */
export interface Batch {
  /** Shared, and left as they are until the answer. */
  readonly bytes: SharedArrayBuffer | undefined
  readonly files: readonly (readonly [file: string, at: number, length: number] | readonly [file: string, twin: Twin])[]
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

function bytesOf([, from, length]: Batch['files'][number], bytes: SharedArrayBuffer | undefined): Buffer {
  if (typeof from === 'object') return Buffer.from(twinText(from))
  return bytes ? Buffer.from(bytes, from, length) : Buffer.alloc(0)
}
