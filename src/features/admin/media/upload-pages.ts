import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '#core/access/access.ts'
import type { Counter } from '#http/guarding/bearer.ts'
import type { UploadTimeouts } from '#http/requests/upload-timeouts.ts'
import { askedBy } from '#http/requests/write-options.ts'
import { Failure, InvalidInput, TooLarge } from '#lib/errors.ts'
import type { Row } from '../../resource.ts'
import { leadOn, signedIn, signedInStill } from '../requests/panel.ts'
import { isForScript, sendJson, textOf } from '../requests/sent.ts'
import { addressWith } from '../resources/list-address.ts'
import { urlOf } from '../resources/list-view.ts'
import type { FilePages } from './file-pages.ts'
import type { GridPages, MediaParts } from './grid-pages.ts'
import { textIn } from './grid-view.ts'

/** The patience with bodies that bring files, and the count of files that are sent. */
export interface UploadGuards {
  readonly timeouts: UploadTimeouts
  readonly counter: Counter | undefined
}

/** Bytes of a form beside its file, at most. */
const MOST_BESIDE = 2 * 1024 * 1024

/** Names of the texts that may come with files. */
const TEXTS = ['folder', 'alt', 'title', 'caption'] as const

/** Statuses of a fault behind which no other file is read. */
const ENDING: ReadonlySet<number> = new Set([401, 403, 413, 429])

/** The reason why a file was not taken; without a name, why the form was not read to its end. */
interface Fault {
  readonly filename: string
  readonly error: Failure
}

/** The result of an upload: the files that were made, and the reasons why others were not. */
interface Taken {
  readonly rows: readonly Row[]
  readonly faults: readonly Fault[]
}

/**
 * Takes files that come in forms: each is stored as it comes, and nothing is read before the proof of the form was checked. A form may
 * take hours to come: who sends it is looked up again for each file, and for the answer.
 */
export class UploadPages {
  readonly #parts: MediaParts
  readonly #guards: UploadGuards
  readonly #grid: GridPages
  readonly #pages: FilePages

  constructor(parts: MediaParts, guards: UploadGuards, pages: { readonly grid: GridPages; readonly file: FilePages }) {
    this.#parts = parts
    this.#guards = guards
    this.#grid = pages.grid
    this.#pages = pages.file
  }

  /** Makes files of those that were sent, one after the other; a script sends one and is answered in JSON. */
  async upload(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { panel, files } = this.#parts
    await files.mustMayUpload(signedIn(request).access)
    const typedFolder = textOf(request, 'folder')
    const { rows, faults } = await this.#take(request, reply)
    await signedInStill(panel, request)
    const [first] = rows
    const [fault] = faults
    if (isForScript(request)) {
      if (!first) throw fault?.error ?? missing()
      return sendJson(reply, 201, { id: first.id, url: first.url, alt: textIn(first, 'alt') })
    }
    if (fault) {
      const done = rows.length === 0 ? [] : [uploadedNotice(rows, urlOf(files))]
      const errors = faults.map(faultText)
      return this.#grid.draw(request, reply, { status: fault.error.status, notices: done, errors, typedFolder })
    }
    if (!first) return this.#grid.draw(request, reply, { status: 422, errors: [missing().message], typedFolder })
    if (rows.length === 1) return leadOn(reply, `${urlOf(files)}/${encodeURIComponent(first.id)}/edit?done=uploaded`)
    const folder = textIn(first, 'folder')
    return leadOn(reply, addressWith(urlOf(files), { folder: folder === '' ? '' : `${folder}/*`, done: 'uploaded-all' }))
  }

  /** Puts the file that was sent in the place of another, at its address. */
  async replace(id: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { files } = this.#parts
    const { access } = signedIn(request)
    await files.mustMayReplace(access, id)
    try {
      this.#mustFit(request)
      this.#guards.timeouts.begin(request, reply)
      for await (const file of request.files?.files() ?? []) {
        this.#guards.counter?.count(access.id, reply)
        await files.replace(this.#callerOf(request), id, file, askedBy(request, undefined))
        return leadOn(reply, `${urlOf(files)}/${encodeURIComponent(id)}/edit?done=replaced`)
      }
      throw missing()
    } catch (error) {
      await signedInStill(this.#parts.panel, request)
      return this.#pages.refuse(error, id, request, reply)
    }
  }

  async #take(request: FastifyRequest, reply: FastifyReply): Promise<Taken> {
    const { files } = this.#parts
    const { access } = signedIn(request)
    const isOne = isForScript(request)
    const texts = textsOf(request)
    const rows: Row[] = []
    const faults: Fault[] = []
    try {
      if (isOne) this.#mustFit(request)
      this.#guards.timeouts.begin(request, reply)
      for await (const file of request.files?.files() ?? []) {
        const { filename } = file
        try {
          this.#guards.counter?.count(access.id, reply)
          rows.push(await files.upload(this.#callerOf(request), file, texts, askedBy(request, undefined)))
        } catch (error) {
          faults.push({ filename, error: failureIn(error) })
        }
        if (isOne || faults.some(({ error }) => ENDING.has(error.status))) break
      }
    } catch (error) {
      // What came before it is there all the same.
      faults.push({ filename: '', error: failureIn(error) })
    }
    return { rows, faults }
  }

  #callerOf(request: FastifyRequest): Caller {
    return async () => (await signedInStill(this.#parts.panel, request)).access
  }

  /** Throws TooLarge for a form with one file that says that it is longer than a file may be: nothing of it is read. */
  #mustFit({ headers }: FastifyRequest): void {
    const { files } = this.#parts
    if (Number(headers['content-length'] ?? 0) > files.most + MOST_BESIDE)
      throw new TooLarge(`The file is larger than ${files.maxSize}.`)
  }
}

/** The texts of a form that are to be said of its files. */
function textsOf(request: FastifyRequest): ReadonlyMap<string, string> {
  return new Map(TEXTS.map((name) => [name, textOf(request, name)] as const).filter(([, text]) => text !== ''))
}

function uploadedNotice(rows: readonly Row[], url: string): object {
  const what = rows.length === 1 ? 'One file was uploaded.' : `${rows.length} files were uploaded.`
  const links = rows.map(({ id, title }) => ({ label: title, url: `${url}/${encodeURIComponent(id)}/edit` }))
  return { tone: 'good', text: what, links }
}

function faultText({ filename, error }: Fault): string {
  const rest = ENDING.has(error.status) ? ' Files after it were not read: send them again.' : ''
  return `${filename === '' ? '' : `${filename}: `}${sentenceOf(error)}${rest}`
}

/** Returns an error that is a sender's to mend; throws any other. */
function failureIn(error: unknown): Failure {
  if (error instanceof Failure) return error
  throw error
}

function missing(): InvalidInput {
  return new InvalidInput({ file: ['Choose a file first: none came with the form.'] })
}

function sentenceOf({ message, hint }: Failure): string {
  return hint === undefined ? message : `${message} ${hint}`
}
