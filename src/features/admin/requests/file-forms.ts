import type { FastifyInstance, FastifyRequest } from 'fastify'
import { FilesForm } from '#http/requests/multipart-files.ts'
import { UnsupportedMediaType } from '#lib/errors.ts'
import { formBodyOf } from '../forms/body.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The form with files that a request brings; null where it brings none. Nothing of it is read before `readTexts`. */
    files: FilesForm | null
  }
}

/** Bytes of a form with files, at most: each file has a limit of its own, and there are at most some hundred. */
const MOST_BYTES = 100 * 1024 ** 3

/** Takes bodies of `multipart/form-data` in a scope of routes, on those that say so: not read before it is known from whom they come. */
export function useFileForms(scope: FastifyInstance): void {
  scope.decorateRequest('files', null)
  scope.addContentTypeParser('multipart/form-data', (request: FastifyRequest, _payload, done) => {
    try {
      request.files = formOf(request)
      done(null, {})
    } catch (error) {
      done(error as Error)
    }
  })
}

/** Reads what comes before the first file of a form: the request's body is then that of any other form. */
export async function readTexts(request: FastifyRequest): Promise<void> {
  if (request.files) request.body = formBodyOf(await request.files.texts(MOST_BYTES))
}

function formOf({ raw, headers, routeOptions }: FastifyRequest): FilesForm {
  if (routeOptions.config.panel?.takesFiles !== true) throw new UnsupportedMediaType('This page takes no files.')
  if ((headers['content-encoding'] ?? 'identity') !== 'identity')
    throw new UnsupportedMediaType('Send the form as it is, without Content-Encoding.')
  return new FilesForm(raw)
}
